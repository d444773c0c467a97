import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import type { AnswerOf } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { idOf, ticketOf, time } from '../../../test/records.ts';
import { headingOf } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

type Run = AnswerOf<'listRuleRunsOfTicket'>['items'][number];

const ticket = ticketOf();
const runOf = (fields: Partial<Run>): Run => ({
  ...{ id: idOf(fields.ruleName ?? ''), ruleId: idOf('rule'), ruleName: 'Brakes', ruleVersion: 1, ticketId: ticket.id },
  ...{ ticketNumber: 1, subject: ticket.subject, outcome: 'done', did: [], error: null, at: time },
  ...fields,
});
const runs = [
  runOf({ ruleName: 'Late', did: ['ticket.priority_changed', 'ticket.notified'] }),
  runOf({ ruleName: 'Loud', outcome: 'failed' }),
  runOf({ ruleName: 'Polite', did: ['no mail: asked_not_to'] }),
];
const reply = { id: idOf('answer'), autoReplyId: idOf('auto'), messageId: idOf('mail'), replyId: null, at: time };
const replies: AnswerOf<'listAutomaticRepliesOfTicket'> = [
  { ...reply, autoReplyName: 'We got it', withheld: 'automatic' },
];

test('the menu of a ticket says which rules ran there and what they did', async () => {
  await openPage('/t/1', {
    ...workspaceWith(ticket),
    listRuleRunsOfTicket: () => ({ items: runs }),
    listAutomaticRepliesOfTicket: () => replies,
  });
  await expect.element(headingOf(ticket.subject)).toBeVisible();
  const more = page.getByRole('article').getByRole('button', { name: 'More actions' });
  more.element().focus();
  await userEvent.keyboard('{Enter}');
  await page.getByRole('menuitem', { name: 'Why is this here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Why is this here' });
  await expect.element(dialog.getByText('set the priority and told people')).toBeVisible();
  await expect.element(dialog.getByText('failed, and changed nothing')).toBeVisible();
  await expect.element(dialog.getByText('sent no reply: its sender asks for no automatic replies')).toBeVisible();
  await expect.element(dialog.getByText('sent no reply: a machine or a mailing list wrote it')).toBeVisible();
  await expect.element(dialog.getByRole('link', { name: 'We got it' })).toBeVisible();
  await expect
    .element(dialog.getByRole('link', { name: 'Late' }))
    .toHaveAttribute('href', `/settings/rules?rule=${idOf('rule')}`);
  expect(await axeFaults()).toEqual([]);
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(more).toHaveFocus();
});
