import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { password, pressSequence, rowOf, signIn } from '../../pages/web-pages.ts';
import { rewrite, textOf, useWritingPages } from '../../pages/writing-pages.ts';
import { givePassword, makeMember } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWritingPages(house);

const state = async (page: Page) => {
  const rail = page.getByRole('complementary', { name: 'Details' });
  const of = async (name: string) =>
    (await rail.getByRole('button', { name: new RegExp(`^${name} `) }).textContent()) ?? '';
  return [await of('Status'), await of('Assignee'), await of('Mailbox')];
};

/**
 * The way of one ticket through what a team tries in its first week: told of, taken by an answer, answered back, moved,
 * an answer planned and cancelled by the customer.
 */
test('two agents and a customer, from a new ticket to a planned answer that the customer overtakes', async () => {
  const { page: adas, complaints } = await openPage();
  const ada = await register(adas);
  const { workspaceId } = ada;
  const ben = await givePassword(house, await makeMember(house, workspaceId, 'agent', 'Ben'), password);
  const connect = (address: string) =>
    putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'token' });
  await connect('hello@office.example');
  await connect('sales@office.example');
  await ada.call('PATCH', '', { whenAnswered: { assign: 'unassigned', status: 'pending' } });
  const both = { inApp: true, email: false };
  for (const person of [ada, ben])
    await person.call('PATCH', '/v1/me/notification-preferences', { types: { new_ticket: both, reply: both } });
  const { page: bens } = await openPage();
  await signIn(bens, ben);
  await bens.goto('/');
  let last = '';
  const write = async (subject: string, id: string) => {
    const mail = mailOf({ headers: { Subject: subject, 'Message-ID': id, 'In-Reply-To': last } });
    last ||= id;
    await ingest(house, ada, [mail]);
  };

  // Both are told of the new ticket. Ada takes it by her answer, by keyboard alone.
  await write('Dark lamp', '<one@example.org>');
  await pressSequence(adas, 'g', 'n');
  await adas.getByRole('button', { name: /New ticket #1 Dark lamp/ }).waitFor();
  await pressSequence(bens, 'g', 'n');
  await bens.getByRole('button', { name: /New ticket #1 Dark lamp/ }).click();
  await bens.getByRole('heading', { name: 'Dark lamp' }).waitFor();
  await adas.keyboard.press('Escape');
  await rowOf(adas, 'Dark lamp').waitFor();
  await adas.keyboard.press('j');
  await adas.getByRole('heading', { name: 'Dark lamp' }).waitFor();
  await adas.keyboard.press('r');
  await adas.getByText('Sends, assigns to you and sets to “Waiting on customer”.').waitFor();
  await textOf(adas).waitFor();
  await adas.keyboard.type('Is it plugged in?');
  await adas.keyboard.press('Control+Enter');
  await expect
    .poll(() => state(bens))
    .toEqual([
      expect.stringContaining('Waiting on customer'),
      expect.stringContaining('Ada'),
      expect.stringContaining('hello@office.example'),
    ]);

  // The customer answers: the ticket is open again, and Ada, who has it now, is told.
  await write('Re: Dark lamp', '<two@example.org>');
  await adas.goto('/');
  await rowOf(adas, 'Dark lamp').waitFor();
  await pressSequence(adas, 'g', 'n');
  await adas.getByRole('button', { name: 'New reply in #1 Dark lamp' }).click();
  await adas.getByRole('heading', { name: 'Dark lamp' }).waitFor();
  await expect.poll(async () => (await state(adas))[0]).toContain('Open');

  // Ben moves it by mouse, and plans an answer from there.
  const rail = bens.getByRole('complementary', { name: 'Details' });
  await rail.getByRole('button', { name: /^Mailbox / }).click();
  await bens.getByRole('dialog').getByRole('option', { name: 'sales@office.example' }).click();
  await expect.poll(async () => (await state(adas))[2]).toContain('sales@office.example');
  await rewrite(bens, 'We visit you on Monday.');
  await bens.getByRole('button', { name: 'More ways to send' }).click();
  await bens.getByRole('menuitem', { name: /Send later/ }).click();
  await bens
    .getByRole('dialog')
    .getByRole('option', { name: /Tomorrow/ })
    .click();
  await bens.getByRole('link', { name: /^Scheduled 1$/ }).waitFor();
  await adas.getByText(/^Scheduled for .*, unless the customer replies first$/).waitFor();

  // The customer is faster: the text is Ben's draft again, and he is told why.
  await write('Re: Dark lamp', '<three@example.org>');
  await bens.getByRole('link', { name: /^Scheduled 1$/ }).waitFor({ state: 'detached' });
  await expect.poll(() => textOf(bens).textContent()).toContain('We visit you on Monday.');
  await bens.getByRole('button', { name: /^Notifications/ }).click();
  await bens.getByText(/Your scheduled reply in #1 Dark lamp was not sent, because the customer wrote first/).waitFor();
  expect(complaints).toEqual([]);
});
