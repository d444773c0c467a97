import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults } from '../../pages/web-pages.ts';
import {
  barOf,
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

test('a bar stands for the composer until a click or a key opens it, and a draft keeps it open', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'A bar');
  const { keyboard } = page;
  await seeNothingWritten(page);
  expect(await page.getByRole('toolbar', { name: 'Format' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Reply to Ann Example…' }).click();
  await textOf(page).and(page.locator(':focus')).waitFor();
  await keyboard.press('Escape');
  await seeNothingWritten(page);
  await keyboard.press('r');
  await textOf(page).and(page.locator(':focus')).waitFor();
  await keyboard.press('Escape');
  await seeNothingWritten(page);

  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByText('Only your team sees this.').waitFor();
  await keyboard.press('Escape');
  await seeNothingWritten(page);
  await keyboard.press('n');
  await page.getByText('Only your team sees this.').waitFor();
  await keyboard.press('Escape');

  await seeEditorLoaded(page);
  await keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('insert a saved');
  await page.getByRole('option', { name: /Insert a saved reply/ }).click();
  await page.getByText('No saved replies yet.').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('Escape');
  await seeNothingWritten(page);

  await rewrite(page, 'Half a sentence');
  await keyboard.press('Escape');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await textOf(page).getByText('Half a sentence').waitFor();
  expect(await barOf(page).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the menu beside Send closes the ticket too, by mouse and by keyboard', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'By mouse');
  await ingest(house, owner, [mailOf({ headers: { Subject: 'By keys' } })]);
  const more = page.getByRole('button', { name: 'More ways to send' });
  await startWriting(page);
  expect(await more.isDisabled()).toBe(true);
  await page.keyboard.type('Done.');
  await more.click();
  await page.getByRole('menuitem', { name: /^Send and snooze/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  // Escape closes the menu and leaves the text alone.
  await page.keyboard.press('Escape');
  await more.and(page.locator(':focus')).waitFor();
  await more.click();
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await page.getByRole('menuitem', { name: /^Send and close/ }).click();
  expect((await sent).postDataJSON()).toMatchObject({ body: 'Done.', thenStatus: 'closed' });

  const list = page.getByRole('region', { name: 'Tickets', exact: true });
  await list.getByRole('link', { name: /By keys/ }).click();
  await page.getByRole('heading', { name: 'By keys' }).waitFor();
  await rewrite(page, 'Done too.');
  await more.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menu', { name: 'More ways to send' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowDown');
  await page
    .getByRole('menuitem', { name: /^Send and close/ })
    .and(page.locator(':focus'))
    .waitFor();
  const sentToo = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await page.keyboard.press('Enter');
  expect((await sentToo).postDataJSON()).toMatchObject({ body: 'Done too.', thenStatus: 'closed' });
  expect(complaints).toEqual([]);
});

test('the dots below a text show what will be quoted, and choose it', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'Quoted');
  const headers = { Subject: 'Re: Quoted', 'In-Reply-To': '<first@example.org>' };
  await ingest(house, owner, [mailOf({ headers, body: 'It burns again.' })]);
  await page.getByRole('article').getByText('It burns again.').waitFor();
  await startWriting(page);
  await page.keyboard.type('On our way.');
  await page.getByRole('button', { name: 'Show what goes below your text' }).click();
  const composer = page.getByRole('region', { name: 'Reply' });
  await composer.getByText('It burns again.').waitFor();
  expect(await composer.getByRole('blockquote').count()).toBe(1);
  await page.getByRole('button', { name: 'Quote: Include previous message' }).click();
  await page.getByRole('menuitemradio', { name: 'No quote' }).click();
  await expect.poll(() => composer.getByRole('blockquote').count()).toBe(0);
  await page.getByRole('button', { name: 'Quote: No quote' }).press('Enter');
  await page.getByRole('menuitemradio', { name: 'Include all messages' }).press('Enter');
  await expect.poll(() => composer.getByRole('blockquote').count()).toBe(2);
  expect(await axeFaults(page)).toEqual([]);
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({ quote: 'thread' });
  expect(complaints).toEqual([]);
});

test('on a phone the composer covers the screen, with Send at the top, until it is put away', async () => {
  const { page, complaints } = await openPage({
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  });
  await openTicket(page, 'On the go');
  await barOf(page).tap();
  await textOf(page).and(page.locator(':focus')).waitFor();
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.type('From the train');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  const [card, button] = await Promise.all([
    page.locator('section[data-mode] > div > div').last().boundingBox(),
    send.boundingBox(),
  ]);
  expect(card).toMatchObject({ x: 0, y: 0, width: 390, height: 800 });
  expect(button?.y).toBeLessThan(56);
  expect(
    await textOf(page).evaluate((text: any) => text.ownerDocument.defaultView.getComputedStyle(text).fontSize),
  ).toBe('16px');
  // Neither keys nor screen readers reach what the sheet covers.
  expect(await page.getByRole('group', { name: 'Messages' }).count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close. The draft is kept.' }).tap();
  await page.getByRole('group', { name: 'Messages' }).waitFor();
  await barOf(page).getByText('From the train').waitFor();
  await barOf(page).tap();
  await send.tap();
  await seeNothingWritten(page);
  await page.getByRole('article').getByText('From the train').waitFor();
  expect(complaints).toEqual([]);
});
