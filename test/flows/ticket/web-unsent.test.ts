import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { refusal, rewrite, textOf, useWritingPages } from '../../pages/writing-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

test('a text that could not be sent says so until the service is back', async () => {
  const { page } = await openPage();
  await openTicket(page, 'Away');
  await rewrite(page, 'Nobody hears');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.context().setOffline(true);
  await page.keyboard.press('Control+Enter');
  const fault = page.getByRole('alert').filter({ hasText: /did not respond/ });
  // It has asked several times by then.
  await fault.waitFor();
  expect(await textOf(page).textContent()).toBe('Nobody hears');
  await page.context().setOffline(false);
  await fault.waitFor({ state: 'detached' });
  expect(await textOf(page).textContent()).toBe('Nobody hears');
});

test('a person who has gone on is told of a text that was not sent, until they close it', async () => {
  // With an option, it is a context that no other test gets: its clock stays set.
  const { page } = await openPage({ serviceWorkers: 'block' });
  const owner = await openTicket(page, 'Left');
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Next' } })]);
  await page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /Next/ }).waitFor();
  await page.clock.install();
  const left = Promise.withResolvers<void>();
  await page.route(/\/messages$/, async (route) => {
    await left.promise;
    await route.fulfill({ status: 403, json: refusal });
  });
  await rewrite(page, 'They believe that it left');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /Next/ }).click();
  await page.getByRole('heading', { name: 'Next' }).waitFor();
  left.resolve();
  const told = page.getByText('Your text in #1 was not sent. You may not.');
  await told.waitFor();
  await page.clock.runFor(60_000);
  await told.waitFor();
  await page.getByRole('button', { name: 'Show draft' }).press('Enter');
  await page.getByRole('heading', { name: 'Left' }).waitFor();
  await textOf(page).getByText('They believe that it left').waitFor();
});

test('an answer that closes its ticket does not lead away from text being written', async () => {
  const { page } = await openPage();
  const owner = await openTicket(page, 'Meanwhile');
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Next' } })]);
  await rewrite(page, 'Done.');
  const release = Promise.withResolvers<void>();
  await page.route(/\/messages$/, async (route) => {
    await release.promise;
    await route.continue();
  });
  const closed = page.waitForResponse((response) => response.url().endsWith('/messages'));
  await page.keyboard.press('Control+Shift+Enter');
  await rewrite(page, 'One more');
  release.resolve();
  await closed;
  await page.getByRole('article').getByText('Closed', { exact: true }).first().waitFor();
  await page.keyboard.type(' word');
  expect(await textOf(page).textContent()).toBe('One more word');
  expect(new URL(page.url()).pathname).toBe('/t/1');
});

test('a text whose tab died during the undo is restored from the line of the answer', async () => {
  const { page, complaints } = await openPage();
  const { workspaceId } = await openTicket(page, 'Undone');
  await rewrite(page, 'Nearly ');
  await page.keyboard.press('Control+b');
  await page.keyboard.type('lost');
  const before = await textOf(page).innerHTML();
  const sent = page.waitForResponse((response) => response.url().endsWith('/messages'));
  await page.keyboard.press('Control+Enter');
  const { id, ticketId } = await (await sent).json();
  const address = page.url();
  await page.close();
  const next = await page.context().newPage();
  const cancel = `/v1/workspaces/${workspaceId}/tickets/${ticketId}/messages/${id}/cancel`;
  const headers = { origin: house.url };
  expect((await next.request.post(cancel, { headers })).status()).toBe(200);
  await next.goto(address);
  await next.getByRole('button', { name: 'Restore the text' }).click();
  await expect.poll(() => textOf(next).innerHTML()).toBe(before);
  await next.getByText('Saved', { exact: true }).waitFor();
  expect(await next.getByRole('button', { name: 'Restore the text' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
