import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { startWriting, useWritingPages } from '../../pages/writing-pages.ts';
import { makeMember } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket, register } = useWritingPages(house);

const subject = 'שלום, ABC (הצעה)!';

const directionOf = (line: any): string => line.ownerDocument.defaultView.getComputedStyle(line).direction;

/**
 * Texts that begin with a Hebrew letter, but whose place has the direction of other words. Our sentences isolate the
 * names in them, and so keep their own direction.
 */
async function misdirected(page: Page): Promise<string[]> {
  const found = await Promise.all(
    page.frames().map((frame) =>
      frame.evaluate<string[]>(`(() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const wrong = [];
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const place = node.parentElement;
          if (!/^[^A-Za-z\\u2068]*[א-ת]/.test(node.data) || place.getClientRects().length === 0) continue;
          if (place.closest('[aria-hidden=true]') !== null) continue;
          const own = place.closest('[dir], p, div, td, li, h1, h2, option, title');
          const { direction, unicodeBidi } = getComputedStyle(own);
          if (direction !== 'rtl' && unicodeBidi !== 'plaintext' && own.tagName !== 'OPTION')
            wrong.push(place.outerHTML.slice(0, 120));
        }
        return wrong;
      })()`),
    ),
  );
  return found.flat();
}

test('each text has the direction of its own words, on every page that shows it', async () => {
  const { page } = await openPage();
  const owner = await openTicket(page, 'Left to right');
  const from = { From: 'דנה לוי <dana@example.org>' };
  await ingest(house, owner, [
    mailOf({
      headers: { ...from, Subject: subject, 'Message-ID': '<h@example.org>' },
      body: 'שלום, Kontor!\n(1) מחיר: 20 EUR.',
    }),
    mailOf({
      headers: {
        ...from,
        Subject: 'אחר',
        'Message-ID': '<i@example.org>',
        'Content-Type': 'text/html; charset=utf-8',
      },
      body: '<div>שלום (1)!</div><ul><li>מחיר</li></ul><div dir="ltr">English שלום</div>',
    }),
  ]);
  await page.getByRole('link', { name: /ABC/ }).click();
  await page.getByRole('heading', { name: subject }).waitFor();
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.type('תודה (Visa).');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Thanks');
  await expect.poll(() => page.getByText('שלום, Kontor!').count()).toBeGreaterThan(0);
  expect(await misdirected(page)).toEqual([]);
  await page.keyboard.press('Control+Shift+Period');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('article', { name: 'Message from Ada' }).getByText('תודה').waitFor();
  expect(await misdirected(page)).toEqual([]);
  await page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /אחר/ }).click();
  const mail = page.frameLocator('iframe:not([hidden])').last();
  await mail.getByText('שלום (1)!').waitFor();
  expect(await misdirected(page)).toEqual([]);
  expect(await mail.getByText('English').evaluate(directionOf)).toBe('ltr');
  expect(await mail.getByText('מחיר').evaluate(directionOf)).toBe('rtl');
  await page.keyboard.press('Escape');
  await page.goto('/c');
  await page.getByRole('link', { name: /דנה/ }).click();
  await page.getByRole('link', { name: /ABC/ }).first().waitFor();
  expect(await misdirected(page)).toEqual([]);
});

test('the words of colleagues have their own direction too', async () => {
  const { page } = await openPage({ viewport: { width: 1440, height: 900 } });
  const owner = await openTicket(page, 'Left to right');
  const member = await makeMember(house, owner.workspaceId, 'agent', 'דנה (תמיכה)');
  await owner.call('PATCH', '/v1/me', { name: 'אדה (בעלים)' });
  await owner.call('PATCH', `/v1/workspaces/${owner.workspaceId}`, { name: 'חנות (1)' });
  await owner.call('POST', '/saved-replies', { name: 'תודה (1)', body: 'תודה רבה (1)!' });
  await owner.call('POST', '/views', { name: 'שלי (1)', query: { assignee: 'me' } });
  const change = { addTags: ['דחוף (1)'], assigneeId: member.userId };
  await owner.call('POST', '/tickets/bulk', { query: { search: 'left' }, ...change });
  await house.drain();
  const wrong: string[] = [];
  const look = async (place: string) => wrong.push(...(await misdirected(page)).map((fault) => `${place}: ${fault}`));
  const list = page.getByRole('region', { name: 'Tickets', exact: true });
  for (const [place, shown] of [
    ['/t/1', 'דנה'],
    ['/settings/members', 'דנה'],
    ['/settings/replies', 'תודה'],
    ['/settings/tags', 'דחוף'],
    ['/settings/bulk', 'אדה'],
    ['/settings/audit', 'אדה'],
    ['/workspaces', 'חנות'],
  ] as const) {
    await page.goto(place);
    await page.getByRole('main').getByText(shown).filter({ visible: true }).first().waitFor();
    await look(place);
  }
  await page.goto('/');
  await list.getByRole('link', { name: /Left/ }).focus();
  for (const key of ['a', 't', 'Control+k']) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    if (key === 'Control+k') await page.keyboard.type('תודה');
    await look(`picker of ${key}`);
    // The first Escape empties the search.
    if (key === 'Control+k') await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(wrong).toEqual([]);
});

test('a tap opens a ticket wherever it falls, and a long press selects', async () => {
  const { page } = await openPage({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } });
  const owner = await register(page);
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Tapped' } })]);
  const row = page.getByRole('listitem').filter({ hasText: 'Tapped' });
  await row.waitFor();
  const box = await row.boundingBox();
  if (box === null) throw new Error('The row has no place.');
  const [x, y] = [box.x + box.width - 14, box.y + 16];
  const fingers = await page.context().newCDPSession(page);
  await fingers.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  await page.getByRole('region', { name: 'Bulk' }).or(page.getByText('1 selected')).first().waitFor();
  await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  expect(new URL(page.url()).pathname).toBe('/');
  await page.keyboard.press('Escape');
  await page.getByText('1 selected').waitFor({ state: 'detached' });
  await page.touchscreen.tap(x, y);
  await page.waitForURL(/\/t\/1/);
});

test('between phone and desk nothing bursts, and the messages keep a third beside an open composer', async () => {
  const { page } = await openPage({ viewport: { width: 760, height: 450 } });
  await openTicket(page, 'Narrow');
  await page.keyboard.press('r');
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  for (const [width, height] of [
    // Twice the size in a window of 1,280 px.
    [640, 400],
    [760, 450],
    [768, 1024],
    [1023, 600],
  ] as const) {
    await page.setViewportSize({ width, height });
    if (width >= 760) {
      const button = page.getByRole('button', { name: 'New ticket' });
      const [isWhole, tall] = await button.evaluate((one: any) => [
        one.scrollWidth <= one.clientWidth,
        one.offsetHeight,
      ]);
      expect([isWhole, tall < 50]).toEqual([true, true]);
    }
    const messages = page.getByRole('group', { name: 'Messages' });
    const [pane, kept] = await Promise.all([
      page.locator('article[aria-labelledby="ticket-subject"]').evaluate((one: any) => one.clientHeight),
      messages.evaluate((one: any) => one.clientHeight),
    ]);
    expect(kept).toBeGreaterThanOrEqual(Math.floor(pane / 3) - 1);
  }
});
