import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { pressSequence, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** Notes for each frame how many tickets the list has, and how many the sidebar and the list's title count. */
async function watchFrames(page: Page, command: string) {
  await page.evaluate((name) => {
    const { document, requestAnimationFrame } = globalThis as any;
    const frames: string[] = [];
    Object.assign(globalThis, { frames });
    const firstNumber = (text: string) => /\d+/.exec(text)?.[0];
    let last = '';
    const look = () => {
      const size = document.querySelector('[aria-setsize]')?.getAttribute('aria-setsize');
      const counted = firstNumber(document.querySelector(`nav [data-command=${name}]`)?.textContent);
      const titled = firstNumber(document.querySelector('section[aria-label=Tickets]')?.textContent);
      const seen = `${size} ${counted} ${titled}`;
      if (last !== seen) frames.push(seen);
      last = seen;
      requestAnimationFrame(look);
    };
    look();
  }, command);
  /** Waits for so many tickets. @returns the different frames since the last call, each as `tickets sidebar title` */
  return async (size: number): Promise<string[]> => {
    await page.locator(`[aria-setsize="${size}"]`).first().waitFor();
    // Two frames later the browser has painted the rows.
    return page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const { frames, requestAnimationFrame: next } = globalThis as any;
          next(() => next(() => resolve(frames.splice(0))));
        }),
    );
  };
}

test('the sidebar counts each ticket that comes or goes once, in the frame of its row', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const write = (Subject: string) => ingest(house, owner, [mailOf({ headers: { Subject } })]);
  for (const subject of ['One', 'Two']) await write(subject);
  await page.reload();
  await page.getByRole('link', { name: /^Open 2$/ }).waitFor();
  const framesUntil = await watchFrames(page, 'goOpen');
  expect((await framesUntil(2)).at(-1)).toBe('2 2 2');
  await write('Three');
  expect(await framesUntil(3)).toEqual(['3 3 3']);
  await page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /Three/ }).click();
  await page.getByRole('heading', { name: 'Three' }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('textbox', { name: 'Text' }).fill('It is done.');
  await framesUntil(3);
  await page.keyboard.press('Control+Shift+Enter');
  expect(await framesUntil(2)).toEqual(['2 2 2']);
  // Neither the answer nor the event of a change counts it once more.
  for (const key of ['e', 'y', '!', '#']) {
    await page.keyboard.press(key);
    expect([key, await framesUntil(1)]).toEqual([key, ['1 1 1']]);
    await page.keyboard.press('z');
    expect([`z after ${key}`, await framesUntil(2)]).toEqual([`z after ${key}`, ['2 2 2']]);
  }
  await pressSequence(page, 'g', 'u');
  await page.getByRole('heading', { name: 'Unassigned' }).waitFor();
  const unassignedUntil = await watchFrames(page, 'goUnassigned');
  expect((await unassignedUntil(2)).at(-1)).toBe('2 2 2');
  await page.keyboard.press('j');
  await page.getByRole('article').first().waitFor();
  await page.keyboard.press('i');
  expect(await unassignedUntil(1)).toEqual(['1 1 1']);
  await page.getByRole('link', { name: /^Assigned to me 1$/ }).waitFor();
  // The stream tells of this one after all of the above.
  await write('Four');
  expect(await unassignedUntil(2)).toEqual(['2 2 2']);
  await page.getByRole('link', { name: /^Assigned to me 1$/ }).waitFor();
  expect(complaints).toEqual([]);
});

test('several mailboxes are in the sidebar with their open tickets, and rows of mixed lists name them', async () => {
  const { page, complaints } = await openPage({ viewport: { width: 1440, height: 800 } });
  const { call, workspaceId } = await register(page);
  const connect = (address: string) =>
    putMailbox(house, { workspaceId, provider: 'mail-a', address, refreshToken: 'none' });
  const help = await connect('help@example.com');
  const write = (mailboxId: string) => call('POST', '/tickets', { subject: 'Printer', body: 'b', mailboxId });
  await write(help.id);
  const lists = page.getByRole('navigation', { name: 'Lists' });
  await page.reload();
  await lists.getByRole('link', { name: /^Open 1$/ }).waitFor();
  // A single mailbox has the tickets of the lists above.
  expect(await lists.getByRole('link', { name: /@example/ }).count()).toBe(0);
  const sales = await connect('sales@example.com');
  await write(sales.id);
  await page.reload();
  const [ofHelp, ofSales] = ['help', 'sales'].map((name) => lists.getByRole('link', { name: `${name}@example.com` }));
  await expect.poll(() => ofHelp?.textContent()).toBe('help@example.com1');
  await expect.poll(() => ofSales?.textContent()).toBe('sales@example.com1');
  await write(help.id);
  await expect.poll(() => ofHelp?.textContent()).toBe('help@example.com2');
  await page.keyboard.press('j');
  await page.getByRole('article').first().waitFor();
  await page.keyboard.press('e');
  await expect.poll(() => ofHelp?.textContent()).toBe('help@example.com1');

  const marks = page.getByTitle(/^Mailbox: /);
  await expect.poll(async () => (await marks.allTextContents()).toSorted()).toEqual([help.address, sales.address]);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('sales@');
  await page.getByRole('option', { name: /sales@example.com/ }).click();
  await expect.poll(() => ofSales?.getAttribute('aria-current')).toBe('page');
  await expect.poll(() => page.getByRole('link', { name: /Printer/ }).count()).toBe(1);
  expect(await marks.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a count of the service that is older than a change does not take the change back', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  for (const Subject of ['One', 'Two']) await ingest(house, owner, [mailOf({ headers: { Subject } })]);
  await page.reload();
  await page.getByRole('link', { name: /^Open 2$/ }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('article').first().waitFor();
  const counted = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  await page.route('**/counts', async (route) => {
    const response = await route.fetch();
    counted.resolve();
    await isHeld.promise;
    await route.fulfill({ response });
  });
  // A change that moves no ticket is counted as well.
  await page.keyboard.press('i');
  await counted.promise;
  const framesUntil = await watchFrames(page, 'goOpen');
  await page.keyboard.press('e');
  expect((await framesUntil(1)).at(-1)).toBe('1 1 1');
  const answered = page.waitForResponse((response) => response.url().endsWith('/counts'));
  isHeld.resolve();
  await (await answered).finished();
  // The next count begins after the page has taken this one.
  await page.waitForResponse((response) => response.url().endsWith('/counts'));
  expect(await framesUntil(1)).toEqual([]);
});
