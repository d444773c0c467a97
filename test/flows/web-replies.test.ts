import { expect, test } from 'vitest';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { axeFaults } from '../web-pages.ts';
import { rewrite, textOf, useWritingPages } from '../writing-pages.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

const saveReply = async (owner: Person, reply: Record<string, unknown>) => {
  const { status } = await owner.call('POST', '/saved-replies', { body: '', ...reply });
  expect(status).toBe(201);
};

test('a saved reply is inserted by its shortcut, and its actions run with the answer', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'Printer on fire');
  await ingest(house, owner, [
    mailOf({ headers: { From: 'sam@example.org', Subject: 'My money', 'Message-ID': '<money@example.org>' } }),
  ]);
  await saveReply(owner, {
    name: 'Refund is on its way',
    shortcut: 'refund',
    isShared: true,
    body: 'Hello {{ contact.firstName }},\nyour refund for #{{ ticket.number }} is on its way.',
    actions: { status: 'closed', addTags: ['refund'] },
  });
  await saveReply(owner, { name: 'Refuse politely', isShared: false, body: 'We are sorry.' });
  await page.getByRole('link', { name: /My money/ }).click();
  await page.getByRole('heading', { name: 'My money' }).waitFor();
  await textOf(page).click();
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.type(';;ref');
  const list = page.getByRole('listbox', { name: 'Saved replies' });
  await list.getByRole('option', { name: /^Refuse/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type('und');
  await list.getByRole('option', { name: /^Refuse/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.getByText('No value for contact.firstName.').waitFor();
  await page.getByText('Sending also runs the actions of').waitFor();
  expect(await textOf(page).textContent()).toContain('your refund for #2 is on its way.');
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.getByRole('button', { name: /^Send answer/ }).isDisabled()).toBe(true);
  await rewrite(page, 'Hello Sam, your refund is on its way.');
  await page.getByText('No value for').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await page
    .getByRole('button', { name: /Closed/ })
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});
