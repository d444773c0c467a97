import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('a ticket moves to another mailbox by mouse and by keyboard, and undo moves it back', async () => {
  const { page, complaints } = await openPage();
  const owner = (await register(page)) as Person;
  for (const Subject of ['Lamp', 'Bulb']) await ingest(house, owner, [mailOf({ headers: { Subject } })]);
  const boxes = await Promise.all(
    ['sales@office.example', 'help@office.example'].map((address) =>
      putMailbox(house, { workspaceId: owner.workspaceId, provider: 'mail-b', address, refreshToken: 'token' }),
    ),
  );
  const mailboxes = async () =>
    (await owner.call('GET', '/tickets?sort=createdAt&order=asc')).body.map(
      ({ mailboxId }: { mailboxId: string | null }) => boxes.find(({ id }) => id === mailboxId)?.address ?? null,
    );
  await page.goto('/t/1');
  const rail = page.getByRole('complementary', { name: 'Details' });
  await rail.getByRole('button', { name: 'Mailbox None' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move to another mailbox' });
  await dialog.getByRole('option', { name: 'sales@office.example' }).click();
  await rail.getByRole('button', { name: 'Mailbox sales@office.example' }).waitFor();
  await page.getByText('#1 moved to another mailbox').waitFor();
  await expect.poll(mailboxes).toEqual(['sales@office.example', null]);
  await page.keyboard.press('v');
  await dialog.getByRole('combobox').fill('help');
  await page.keyboard.press('Enter');
  await rail.getByRole('button', { name: 'Mailbox help@office.example' }).waitFor();
  await expect.poll(mailboxes).toEqual(['help@office.example', null]);
  await page.keyboard.press('z');
  await rail.getByRole('button', { name: 'Mailbox sales@office.example' }).waitFor();
  await expect.poll(mailboxes).toEqual(['sales@office.example', null]);
  await page.getByText('moved the ticket to another mailbox').first().waitFor();
  // Both at once, from the list.
  await page.goto('/');
  await page.locator('[data-ticket]').first().getByRole('link').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('v');
  await dialog.getByRole('option', { name: 'help@office.example' }).click();
  await expect.poll(mailboxes).toEqual(['help@office.example', 'help@office.example']);
  expect(complaints).toEqual([]);
});
