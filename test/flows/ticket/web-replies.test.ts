import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, pressSequence } from '../../pages/web-pages.ts';
import { rewrite, startWriting, textOf, useWritingPages } from '../../pages/writing-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

/** Writes the reply of this test in the settings, and leaves them. */
async function writeReply(page: Page): Promise<void> {
  await pressSequence(page, 'g', ',');
  await page.getByRole('link', { name: 'Saved replies' }).press('Enter');
  await page.getByText('No saved replies yet.').waitFor();
  await page.getByRole('link', { name: 'New saved reply' }).press('Enter');
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.type('Refund is on its way');
  await page.keyboard.press('Tab');
  await page.keyboard.type('refund');
  await rewrite(page, 'Hello ');
  await page.getByLabel('Insert a variable').selectOption({ label: 'Customer: name' });
  await page.keyboard.type(', your refund is on its way.');
  await page.getByLabel('Status').selectOption('closed');
  await page.getByLabel('Add tags').fill('refund, money');
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save reply' }).press('Enter');
  await page.getByText(';;refund').waitFor();
  expect(await axeFaults(page)).toEqual([]);
}

/** Answers both tickets by the palette. Sam has no name, so his ticket gets no answer. */
async function answerMany(page: Page, owner: Person): Promise<void> {
  await pressSequence(page, 'g', 'e');
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /My money/ })
    .waitFor();
  const { id } = (await owner.call('GET', '/tickets/number/1')).body;
  expect((await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' })).status).toBe(200);
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /Printer on fire/ })
    .waitFor();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Reply with a saved reply' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type('Refund is');
  await page.getByRole('option', { name: /^Refund is on its way/ }).waitFor();
  await page.keyboard.press('Enter');
  const send = page.getByRole('button', { name: 'Send replies (2)' });
  await send.waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('1 changed, 1 refused.').waitFor();
  await page.getByText(/^#2: .*contact\.name$/).waitFor();
}

async function beginTicket(page: Page): Promise<void> {
  await page.goto('/new');
  await page.getByRole('combobox', { name: 'To' }).fill('ann@example.org,');
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.type(';;refund');
  await page.getByRole('option', { name: /^Refund is on its way/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Hello Ann Example, your refund is on its way.').waitFor();
  await page.getByText('Sending also runs the actions of').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type(' ;;polite');
  await page.getByRole('option', { name: 'Refuse politely' }).waitFor();
  await page.keyboard.press('Enter');
  const lines = () => textOf(page).locator('p').allTextContents();
  await expect.poll(lines).toEqual(['Hello Ann Example, your refund is on its way. ', '', 'We are sorry.', 'Truly.']);
}

test('a saved reply is written in the settings, used in answers, in many tickets and in a new one', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'Printer on fire');
  await ingest(house, owner, [
    mailOf({ headers: { From: 'sam@example.org', Subject: 'My money', 'Message-ID': '<money@example.org>' } }),
  ]);
  await writeReply(page);
  await owner.call('POST', '/saved-replies', { name: 'Refuse politely', body: 'We are sorry.\nTruly.' });
  await page.getByRole('link', { name: 'Refuse politely' }).waitFor();
  await page.getByRole('link', { name: 'Back to the inbox' }).click();
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /My money/ })
    .click();
  await page.getByRole('heading', { name: 'My money' }).waitFor();
  await startWriting(page);
  // The button opens a search, and types nothing into the text.
  await page
    .getByRole('toolbar', { name: 'Format' })
    .getByRole('button', { name: /saved reply/ })
    .click();
  await page.getByRole('combobox', { name: 'Search saved replies' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await textOf(page).textContent()).toBe('');
  await page
    .getByRole('toolbar', { name: 'Format' })
    .getByRole('button', { name: /saved reply/ })
    .click();
  await page.keyboard.type('ref');
  const list = page.getByRole('listbox', { name: 'Saved replies' });
  await list.getByRole('option', { name: /^Refuse/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type('und');
  await list.getByRole('option', { name: /^Refuse/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.getByText('No value for contact.name.').waitFor();
  await page.getByText('Sending also runs the actions of').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  await rewrite(page, 'Hello Sam, your refund is on its way.');
  await page.getByText('No value for').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await page
    .getByRole('button', { name: /Closed/ })
    .first()
    .waitFor();
  await answerMany(page, owner);
  await beginTicket(page);
  expect(complaints).toEqual([]);
});

test('a saved reply that is left while it is written is there again, until it is discarded', async () => {
  const { page } = await openPage();
  await openTicket(page, 'Left');
  await pressSequence(page, 'g', ',');
  await page.getByRole('link', { name: 'Saved replies' }).click();
  await page.getByRole('link', { name: 'New saved reply' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Half');
  await rewrite(page, 'We are');
  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await page.getByRole('heading', { name: 'Tags' }).first().waitFor();
  await page.goBack();
  await page.getByText('It is not saved yet.').waitFor();
  await textOf(page).getByText('We are').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half');
  await page.getByRole('button', { name: 'Discard it' }).press('Enter');
  await expect.poll(() => textOf(page).textContent()).toBe('');
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
});

test('an answer is sent although its saved reply is deleted meanwhile', async () => {
  const { page } = await openPage();
  const owner = await openTicket(page, 'Deleted');
  const reply = await owner.call('POST', '/saved-replies', { name: 'Refuse politely', body: 'We are sorry.' });
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.type(';;refuse');
  await page.getByRole('option', { name: /Refuse politely/ }).click();
  await textOf(page).getByText('We are sorry.').waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await owner.call('DELETE', `/saved-replies/${reply.body.id}`)).status).toBe(204);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const messages = async () => (await owner.call('GET', '/tickets/number/1')).body.messages;
  await expect.poll(async () => (await messages()).length).toBe(2);
  expect((await messages()).at(-1).replyText).toBe('We are sorry.');
});
