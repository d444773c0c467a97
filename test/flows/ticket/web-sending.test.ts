import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { rewrite, seeNothingWritten, textOf, useWritingPages } from '../../pages/writing-pages.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

type Message = { body: string; replyText: string | null };

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
