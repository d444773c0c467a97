import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults } from '../../pages/web-pages.ts';
import { startWriting, textOf, useWritingPages } from '../../pages/writing-pages.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

test('an emoji comes from its typed name or from the panel, without the mouse, and is sent', async () => {
  const { page, complaints, asked } = await openPage();
  const owner = await openTicket(page, 'Brakes');
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  const data = () => asked.filter((url) => /emoji-en/.test(url));
  expect(data()).toEqual([]);
  await page.keyboard.type('At 10:30 in Re:in :tad');
  const list = page.getByRole('listbox', { name: 'Emoji' });
  await list.getByRole('option', { name: 'party popper' }).waitFor();
  await page.keyboard.press('Enter');
  await list.waitFor({ state: 'detached' });
  await expect.poll(() => textOf(page).textContent()).toBe('At 10:30 in Re:in 🎉');
  // Escape leaves the text as it was typed, and the composer open.
  await page.keyboard.type(' :smil');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.type(' ');
  const button = page.getByRole('button', { name: 'Emoji' });
  await button.press('Enter');
  const search = page.getByRole('searchbox', { name: 'Emoji' });
  await search.waitFor();
  await list.getByRole('option', { name: 'thumbs up' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type('bicyc');
  await expect.poll(() => list.getByRole('option').first().getAttribute('aria-label')).toBe('bicycle');
  await page.keyboard.press('Enter');
  await search.waitFor({ state: 'hidden' });
  await page.keyboard.type('!');
  await expect.poll(() => textOf(page).textContent()).toBe('At 10:30 in Re:in 🎉 :smil 🚲!');
  expect(data()).toHaveLength(1);
  await page.keyboard.press('Control+Enter');
  await expect
    .poll(async () => (await owner.call('GET', '/tickets/number/1')).body.messages.at(-1).body)
    .toMatch(/^At 10:30 in Re:in 🎉 :smil 🚲!\n/u);
  expect(complaints).toEqual([]);
});

test('a German reader finds emoji by German words', async () => {
  const { page } = await openPage({ locale: 'de-DE' });
  await openTicket(page, 'Bremsen');
  await startWriting(page);
  await page.getByRole('toolbar').waitFor();
  await page.keyboard.type('Mit dem :fahrr');
  await page
    .getByRole('listbox', { name: 'Emoji' })
    .getByRole('option', { name: /Fahrrad/ })
    .first()
    .waitFor();
});
