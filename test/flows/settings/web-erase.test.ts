import { expect, test } from 'vitest';
import { paths } from '../../../web/src/paths.ts';
import { useHouse } from '../../harness/harness.ts';
import { placesOf } from '../../harness/places-of.ts';
import { axeFaults, password, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('a person is erased by keyboard: preview, typed address, password, progress and outcome', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const email = 'zora@quellwasser.example';
  const input = { subject: 'Of Zora', body: 'Only hers', requester: { email, name: 'Zora Quellwasser' } };
  await owner.call('POST', '/tickets', input);
  await ingest(house, owner, [mailOf({ headers: { From: `Zora Quellwasser <${email}>`, Subject: 'With others' } })]);
  const [{ id }] = (await owner.call('GET', '/contacts?search=zora')).body;
  await page.goto(`${house.url}${paths.contact(id)}`);
  await page.getByRole('heading', { name: 'Zora Quellwasser' }).waitFor();
  await page.getByRole('button', { name: 'Erase person…' }).press('Enter');
  await page.getByText('Tickets in which nobody else takes part, with all replies and notes: 1').waitFor();
  await page.getByText(/Tickets that others take part in: 1/).waitFor();
  await page.getByText(/This cannot be undone/).waitFor();
  const erase = page.getByRole('button', { name: 'Erase for good' });
  expect(await erase.isDisabled()).toBe(true);
  expect(await axeFaults(page)).toEqual([]);

  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type('not my password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Erased person' }).waitFor();
  await page.getByText(/The person is being erased/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await house.drain();
  await page.getByText('Tickets deleted: 1, tickets kept for others: 1, messages: 2.', { exact: false }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: /Of Zora/ }).count()).toBe(0);
  await page.getByRole('link', { name: /\(erased\)/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Erase person…' }).count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  for (const text of [email, 'Quellwasser'])
    expect((await placesOf(house, text)).filter((place) => !place.includes('/'))).toEqual([]);
  expect(complaints).toEqual([]);
});
