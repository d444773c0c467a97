import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, password, useWebPages } from '../../pages/web-pages.ts';
import { startWriting, textOf } from '../../pages/writing-pages.ts';
import { givePassword, makeOwner } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);
const languageOf = 'document.documentElement.lang';

test('a browser that speaks German signs in, answers a ticket and reads the settings in German', async () => {
  const person = await givePassword(house, await makeOwner(house), password);
  await ingest(house, person, [mailOf({ headers: { Subject: 'Bremse quietscht' } })]);
  const { page, complaints, asked } = await openPage({ locale: 'de-DE' });
  await page.goto('/sign-in');
  expect(await page.evaluate(languageOf)).toBe('de');
  await page.getByLabel('E-Mail-Adresse').fill(person.email);
  await page.getByLabel('Passwort', { exact: true }).fill('falsches Passwort');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByText('Die Zugangsdaten stimmen nicht.').waitFor();
  await page.getByLabel('Passwort', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByRole('link', { name: /Bremse quietscht/ }).click();
  await startWriting(page);
  await textOf(page).fill('Bitte bringen Sie das Rad vorbei.');
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Senden', exact: true }).click();
  await page
    .getByText(/Wird (?:in \d+ s )?gesendet|Wartet auf Versand/)
    .first()
    .waitFor();
  await page.goto('/settings/security');
  await page.getByRole('heading', { name: 'Sitzungen' }).waitFor();
  await page.getByText('Zusätzlich zum Passwort').waitFor();
  expect(asked.filter((url) => /\/assets\/en(?:-\w+)?-[\w-]{8}\.js$/.test(url))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a person chooses German in their profile, and every page of theirs changes at once', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const { page: phone } = await openPage({ storageState: await page.context().storageState() });
  await phone.goto('/');
  await phone.getByRole('heading', { name: 'Open' }).waitFor();
  await page.goto('/settings/profile');
  const choice = page.getByRole('combobox', { name: 'Language' });
  await choice.focus();
  await choice.selectOption({ label: 'Deutsch' });
  await page.getByRole('heading', { name: 'Sprache und Zeit' }).waitFor();
  await page.getByRole('link', { name: 'Sicherheit' }).waitFor();
  expect(await page.evaluate(languageOf)).toBe('de');
  await phone.getByRole('heading', { name: 'Offen' }).waitFor();
  await phone.reload();
  await phone.getByRole('heading', { name: 'Offen' }).waitFor();
  // The field was not drawn anew, so that it still has the focus.
  const focused = page.locator('select:focus');
  expect(await focused.inputValue()).toBe('de');
  await focused.selectOption('');
  await page.getByRole('heading', { name: 'Language and time' }).waitFor();
  expect(await page.evaluate(languageOf)).toBe('en');
  expect(complaints).toEqual([]);
});
