import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, isFocused, pressSequence } from '../../pages/web-pages.ts';
import {
  rewrite,
  seeEditorLoaded,
  seeNothingWritten,
  startWriting,
  textOf,
  useWritingPages,
} from '../../pages/writing-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

async function draftsOf(page: Page, workspaceId: string): Promise<{ body: string }[]> {
  return (await (await page.request.get(`/v1/workspaces/${workspaceId}/drafts`)).json()).items;
}

/** Once `isHeld` is set, no retry timer fires, so a later save must have another cause. */
const holdRetries = `(() => {
  const setTimer = window.setTimeout.bind(window);
  window.setTimeout = (run, ms, ...rest) => window.isHeld && ms >= 2000 ? 0 : setTimer(run, ms, ...rest);
})()`;

test('the draft of a ticket that is not shown is saved as soon as the network is back', async () => {
  const { page } = await openPage();
  await page.addInitScript(holdRetries);
  const owner = await openTicket(page, 'First');
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Second' } })]);
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /Second/ })
    .click();
  // Without a network, the page shows only tickets that it has read.
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  await page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /First/ }).click();
  await rewrite(page, 'Begun');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.evaluate('window.isHeld = true');
  await page.context().setOffline(true);
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/drafts/answer'));
  await page.keyboard.type(' here');
  await failed;
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /Second/ })
    .click();
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  await page.context().setOffline(false);
  const bodies = async () => (await draftsOf(page, owner.workspaceId)).map(({ body }) => body);
  await expect.poll(bodies).toEqual(['Begun here']);
});

test('a second tab shows what the first has saved, and writes on without a conflict', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'Two tabs');
  const next = await page.context().newPage();
  await next.goto(page.url());
  await startWriting(next);
  await next.getByRole('toolbar', { name: 'Format' }).waitFor();
  await rewrite(page, 'Begun here');
  await expect.poll(() => textOf(next).textContent()).toBe('Begun here');
  await rewrite(next, 'Ended there');
  await expect.poll(() => textOf(page).textContent()).toBe('Ended there');
  expect(await next.getByRole('alert').count()).toBe(0);
  await next.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(() => textOf(page).textContent()).toBe('');
  expect(complaints).toEqual([]);
});

test('the draft of a dead tab is saved by the next page, whatever that shows', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'Left behind');
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.context().setOffline(true);
  await page.keyboard.type('Written in a tunnel');
  const next = await page.context().newPage();
  await page.close({ runBeforeUnload: false });
  await next.context().setOffline(false);
  await next.goto('/');
  const drafts = async () => (await owner.call('GET', '/drafts')).body.items.map(({ body }: { body: string }) => body);
  await expect.poll(drafts).toEqual(['Written in a tunnel']);
  await expect.poll(() => next.evaluate('JSON.stringify(localStorage)')).not.toContain('tunnel');
  expect(complaints).toEqual([]);
});

test('an emptied new ticket leaves no draft behind, even if the answer to its first save got lost', async () => {
  const { page } = await openPage();
  const { workspaceId } = await openTicket(page, 'There already');
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  const lost = Promise.withResolvers<void>();
  await page.route(/\/drafts$/, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    await route.abort();
    lost.resolve();
  });
  await page.getByLabel('Subject').fill('Not meant');
  await lost.promise;
  await expect.poll(() => draftsOf(page, workspaceId)).toHaveLength(1);
  await page.getByLabel('Subject').fill('');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await expect.poll(() => draftsOf(page, workspaceId)).toEqual([]);
  await page.getByLabel('Subject').fill('Meant');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await draftsOf(page, workspaceId)).toHaveLength(1);
});

test('words typed before an older draft loads stand below it, without a question', async () => {
  const { page } = await openPage();
  const { workspaceId } = await openTicket(page, 'First');
  await rewrite(page, 'Before');
  await page.getByText('Saved', { exact: true }).waitFor();
  const release = Promise.withResolvers<void>();
  await page.route(/\/drafts\?ticketId/, async (route) => {
    await release.promise;
    await route.continue();
  });
  await page.reload();
  await rewrite(page, 'Early');
  expect(await textOf(page).textContent()).toBe('Early');
  release.resolve();
  const bodies = async () => (await draftsOf(page, workspaceId)).map(({ body }) => body);
  await expect.poll(bodies).toEqual(['Before\n\nEarly']);
  expect(await textOf(page).textContent()).toBe('BeforeEarly');
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('two tabs that write without a network and are closed lose neither text', async () => {
  const { page } = await openPage();
  const { workspaceId } = await openTicket(page, 'First');
  const context = page.context();
  const other = await context.newPage();
  await other.goto(page.url());
  await Promise.all([page, other].map(seeEditorLoaded));
  await context.setOffline(true);
  await rewrite(page, 'Written first');
  await rewrite(other, 'Written last');
  await Promise.all([page.close(), other.close()]);
  await context.setOffline(false);

  const next = await context.newPage();
  await next.goto('/');
  await expect.poll(async () => (await draftsOf(next, workspaceId)).length).toBe(1);
  await next.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /First/ }).click();
  const question = next.getByRole('alert').filter({ hasText: 'Which text do you want to keep?' });
  await question.getByText('Written first').waitFor();
  await question.getByText('Written last').waitFor();
  await question.getByRole('button', { name: 'Keep this text' }).first().press('Enter');
  await question.waitFor({ state: 'detached' });
  const kept = (await textOf(next).textContent()) ?? '';
  const bodies = async () => (await draftsOf(next, workspaceId)).map(({ body }) => body);
  await expect.poll(bodies).toEqual([kept]);
});

test('a ticket whose only draft is a note shows the note', async () => {
  const { page } = await openPage();
  const owner = await openTicket(page, 'Noted');
  const { body: ticket } = await owner.call('GET', '/tickets/number/1');
  await owner.call('PUT', `/tickets/${ticket.id}/drafts/note`, { body: 'Ask Bob.', version: 0 });
  await page.reload();
  await textOf(page).getByText('Ask Bob.').waitFor();
  await page.getByText('Only your team sees this.').waitFor();
  await startWriting(page);
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' He knows.');
  await page.keyboard.press('Control+Enter');
  const messages = async () => (await owner.call('GET', '/tickets/number/1')).body.messages;
  await expect
    .poll(async () => (await messages()).at(-1))
    .toMatchObject({ body: 'Ask Bob. He knows.', isInternal: true });
});

test('drafts are marked in the list at once, and the list of drafts leads to each by keyboard', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'Begun');
  const row = page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /Begun/ });
  await rewrite(page, 'Half a sentence');
  await row.getByText('Draft', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Drafts 1' }).waitFor();
  await owner.call('POST', '/drafts', { subject: 'A call', body: 'They rang.' });
  await page.getByRole('link', { name: 'Drafts 2' }).waitFor();
  await page.keyboard.press('Escape');
  await pressSequence(page, 'g', 'd');
  const list = page.getByRole('list', { name: 'Drafts' });
  await expect
    .poll(() => list.getByRole('listitem').allInnerTexts())
    .toMatchObject([
      expect.stringMatching(/A call.*New ticket.*They rang/s),
      expect.stringMatching(/#1 Begun.*Reply.*Half a sentence/s),
    ]);
  expect(await axeFaults(page)).toEqual([]);
  await expect.poll(() => isFocused(list.getByRole('link', { name: 'A call' }))).toBe(true);
  // Copying stands before discarding.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Drafts 1' }).waitFor();
  expect(await isFocused(list.getByRole('link', { name: '#1 Begun' }))).toBe(true);
  await page.keyboard.press('z');
  await page.getByRole('link', { name: 'Drafts 2' }).waitFor();
  await list.getByRole('link', { name: 'A call' }).waitFor();
  await list.getByRole('link', { name: '#1 Begun' }).press('Enter');
  await textOf(page).getByText('Half a sentence').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await row.getByText('Draft', { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Drafts 1' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a discarded text leaves its composer, and undoing brings it back', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'Begun');
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Subject' }).fill('Racks');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await page.getByRole('heading', { name: 'New ticket' }).waitFor({ state: 'detached' });
  await page.getByText('Draft discarded').waitFor();
  await page.keyboard.press('z');
  const subject = page.getByRole('textbox', { name: 'Subject' });
  await expect.poll(() => subject.inputValue()).toBe('Racks');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await rewrite(page, 'Half a sentence');
  await page.getByRole('button', { name: 'More tools' }).click();
  await page.getByRole('menuitem', { name: 'Discard draft' }).click();
  await seeNothingWritten(page);
  await page.getByRole('link', { name: 'Drafts', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});
