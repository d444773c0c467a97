import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, pressSequence, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('contacts are found, renamed and merged by keyboard', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const mailFrom = (From: string, Subject: string) => mailOf({ headers: { From, Subject } });
  await ingest(house, owner, [
    mailFrom('Jo Doe <jo@example.org>', 'Brakes'),
    mailFrom('jo.doe@work.example', 'Saddle'),
    mailFrom('Eve <eve@example.net>', 'Bell'),
  ]);
  await pressSequence(page, 'g', 'c');
  const list = page.getByRole('list', { name: 'Contacts' });
  // The three writers, and the address of the team.
  await expect.poll(() => list.getByRole('listitem').count()).toBe(4);
  expect(await page.title()).toContain('Contacts');
  expect(await axeFaults(page)).toEqual([]);

  await page.keyboard.type('work');
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  expect(page.url()).toContain('search=work');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'jo.doe@work.example' }).waitFor();
  await page
    .getByRole('list', { name: 'Tickets' })
    .getByRole('link', { name: /Saddle/ })
    .waitFor();

  await page.reload();
  await page.getByLabel('Name').fill('Jo at work');
  await page.keyboard.press('Enter');
  await page.getByText('The name is saved.').waitFor();
  await page.getByRole('heading', { name: 'Jo at work' }).waitFor();

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy jo.doe@work.example' }).press('Enter');
  await page.getByText('Copied: jo.doe@work.example').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('jo.doe@work.example');

  await page.getByLabel('The other contact').fill('jo@');
  await page.getByRole('button', { name: 'Merge with Jo Doe (jo@example.org)' }).press('Enter');
  await page.getByText(/^Jo at work \(jo.doe@work.example\) and its tickets \(1\) become part of Jo Doe/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Jo Doe' }).waitFor();
  await page.getByText('jo.doe@work.example', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('list', { name: 'Tickets' }).getByRole('listitem').count()).toBe(2);
  const { body } = await owner.call('GET', '/contacts');
  expect(body.map(({ emails }: { emails: string[] }) => emails)).toEqual([
    ['eve@example.net'],
    ['jo@example.org', 'jo.doe@work.example'],
    ['support@example.com'],
  ]);
  // From the list of contacts, so that it is in the cache of the composer's page.
  await page.getByRole('link', { name: 'Contacts' }).first().click();
  await list.getByRole('link', { name: /Jo Doe/ }).click();
  await page
    .getByRole('list', { name: 'Tickets' })
    .getByRole('link', { name: /Saddle/ })
    .click();
  await page.getByRole('heading', { name: 'Saddle' }).waitFor();
  expect(complaints).toEqual([]);
});
