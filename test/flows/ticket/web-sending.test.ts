import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import {
  refusal,
  rewrite,
  seeNothingWritten,
  startWriting,
  textOf,
  useWritingPages,
} from '../../pages/writing-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

type Message = { body: string; replyText: string | null };

test('an answer waits if its customer has written meanwhile, and is sent when its writer confirms', async () => {
  const { page } = await openPage();
  const owner = await openTicket(page, 'Meanwhile');
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.type('Try this.');
  await ingest(house, owner, [
    mailOf({ headers: { Subject: 'Re: Meanwhile', 'In-Reply-To': '<first@example.org>' }, body: 'It works again.' }),
  ]);
  await page.getByText('Ann Example has written in the meantime.').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('alert').getByText('Your reply has not been sent yet.').waitFor();
  await page.getByRole('alert').getByText('It works again.').waitFor();
  const sent = page.waitForResponse((response) => response.url().endsWith('/messages'));
  await page.getByRole('button', { name: 'Send anyway' }).click();
  expect((await sent).status()).toBe(201);
  await seeNothingWritten(page);
});

test('an answer is sent once if the network fails or loses its confirmation, and later text stays', async () => {
  const { page } = await openPage();
  const owner = await openTicket(page, 'Network');
  await rewrite(page, 'First');
  // Fails once, and then waits: the page gives up after some seconds, and a slow machine writes for longer.
  const back = Promise.withResolvers<void>();
  let requests = 0;
  // Stays to the end: when the last route ends, Chromium may leave the navigation of a reload paused for ever.
  await page.route(/\/messages$/, async (route) => {
    if (requests++ === 0) return route.abort();
    await back.promise;
    return route.continue();
  });
  await page.keyboard.press('Control+Enter');
  await rewrite(page, 'Second');
  await expect.poll(() => requests).toBe(2);
  back.resolve();
  const answers = async () => {
    const ticket = await page.request.get(`/v1/workspaces/${owner.workspaceId}/tickets/number/1`);
    return (await ticket.json()).messages.slice(1).map(({ replyText, body }: Message) => replyText ?? body);
  };
  await expect.poll(answers).toEqual(['First']);
  expect(await textOf(page).textContent()).toBe('Second');
  const lose = (path: RegExp, done: () => void = () => undefined) =>
    page.route(
      path,
      async (route) => {
        await route.fetch();
        await route.abort();
        done();
      },
      { times: 1 },
    );
  await lose(/\/cancel$/);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(() => textOf(page).textContent()).toBe('FirstSecond');
  await page.getByText('Saved', { exact: true }).waitFor();
  await rewrite(page, 'Second');
  const answered = Promise.withResolvers<void>();
  await lose(/\/messages$/, answered.resolve);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await answered.promise;
  // The tab dies before it has asked again.
  await page.reload({ waitUntil: 'commit' });
  await expect.poll(answers).toEqual(['First', 'Second']);
  await seeNothingWritten(page);
  await expect.poll(() => page.evaluate('JSON.stringify(localStorage)')).not.toContain('kontor.draft');
});

test('an answer is in its ticket before the service has it, once, and causes few requests afterwards', async () => {
  const { page, asked } = await openPage();
  await openTicket(page, 'At once');
  await rewrite(page, 'Here already');
  await page.getByText('Saved', { exact: true }).waitFor();
  // The page reads once more, for changes that its live stream missed while opening.
  await expect.poll(() => asked.filter((url) => url.endsWith('/start')).length).toBeGreaterThan(1);
  const release = Promise.withResolvers<void>();
  await page.route(/\/messages$/, (route) => release.promise.then(() => route.continue()));
  const from = asked.length;
  const answer = page.getByRole('article', { name: 'Message from Ada' });
  await page.keyboard.press('Control+Enter');
  await answer.getByText(/^Sending in/).waitFor();
  expect((await answer.getByText('Here already').count()) + (await answer.locator('iframe').count())).toBe(1);
  expect(await answer.getByRole('button', { name: 'Send now' }).count()).toBe(0);
  const answered = page.waitForResponse((response) => response.url().endsWith('/messages'));
  release.resolve();
  await answered;
  await answer.getByRole('button', { name: 'Send now' }).waitFor();
  expect(await answer.count()).toBe(1);
  await expect.poll(() => asked.slice(from).filter((url) => url.includes('/number/1?')).length).toBeGreaterThan(0);
  expect(asked.slice(from).filter((url) => /\/(tickets\?|members|views|mailboxes|start)/.test(url))).toEqual([]);
});

test('a refused answer goes from its ticket back to the composer', async () => {
  const { page } = await openPage();
  await openTicket(page, 'Refused');
  await rewrite(page, 'Not today');
  const release = Promise.withResolvers<void>();
  await page.route(/\/messages$/, (route) => release.promise.then(() => route.fulfill({ status: 403, json: refusal })));
  const answer = page.getByRole('article', { name: 'Message from Ada' });
  await page.keyboard.press('Control+Enter');
  await answer.waitFor();
  await seeNothingWritten(page);
  release.resolve();
  await answer.waitFor({ state: 'detached' });
  await expect.poll(() => textOf(page).textContent()).toBe('Not today');
  await page.getByRole('alert').getByText('You may not.').waitFor();
});

test('the browser asks before it closes a page whose answer is on its way', async () => {
  const { page } = await openPage();
  await openTicket(page, 'On its way');
  const [held, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  await page.route(/\/messages$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  page.on('dialog', (dialog) => {
    asked.resolve(dialog.type());
    void dialog.dismiss();
  });
  await rewrite(page, 'Stay a moment');
  const begun = page.waitForRequest(/\/messages$/);
  const sent = page.waitForResponse((response) => response.url().endsWith('/messages'));
  await page.keyboard.press('Control+Enter');
  await begun;
  await page.close({ runBeforeUnload: true });
  expect(await asked.promise).toBe('beforeunload');
  held.resolve();
  expect((await sent).status()).toBe(201);
  await seeNothingWritten(page);
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
});

test('an undo shows its ticket at once, but does not lead away from text written since', async () => {
  const { page } = await openPage();
  const owner = await openTicket(page, 'Undone');
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Next' } })]);
  const hold = async (path: RegExp) => {
    const released = Promise.withResolvers<void>();
    await page.route(path, (route) => released.promise.then(() => route.continue()), { times: 1 });
    return released.resolve;
  };
  const openNext = () =>
    page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /Next/ }).click();
  await rewrite(page, 'Taken back');
  const letMessagePass = await hold(/\/messages$/);
  const letCancelPass = await hold(/\/cancel$/);
  await page.keyboard.press('Control+Shift+Enter');
  await openNext();
  await page.waitForURL('**/t/2*');
  await page.keyboard.press('z');
  await page.waitForURL('**/t/1*');
  letMessagePass();
  await page.getByRole('article').getByText('Closed', { exact: true }).first().waitFor();
  await openNext();
  await rewrite(page, 'Here');
  const cancelled = page.waitForResponse((response) => response.url().endsWith('/cancel'));
  letCancelPass();
  await cancelled;
  await page.getByRole('article').getByText('#2').first().waitFor();
  await page.keyboard.type(' and there');
  expect(await textOf(page).textContent()).toBe('Here and there');
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /Undone/ })
    .click();
  await expect.poll(() => textOf(page).textContent()).toBe('Taken back');
});

test('an answer that the live stream brings before its confirmation is undone once', async () => {
  const { page } = await openPage();
  await openTicket(page, 'Stream first');
  await rewrite(page, 'Too ');
  await page.keyboard.press('Control+b');
  await page.keyboard.type('soon');
  const html = () => textOf(page).innerHTML();
  const before = await html();
  const confirmed = Promise.withResolvers<void>();
  await page.route(/\/messages$/, async (route) => {
    const response = await route.fetch();
    await confirmed.promise;
    await route.fulfill({ response });
  });
  await page.keyboard.press('Control+Enter');
  const answer = page.getByRole('article', { name: 'Message from Ada' });
  // Only what the service has can be sent now.
  await answer.getByRole('button', { name: 'Send now' }).waitFor();
  // Twice, as an impatient person does.
  for (let click = 0; click < 2; click++) await answer.getByRole('button', { name: 'Undo' }).click();
  confirmed.resolve();
  await expect.poll(html).toBe(before);
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('z');
  await page.getByRole('status').getByText('There is nothing to undo.').waitFor();
  expect(await html()).toBe(before);
});
