import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { type AnswerOf, type Answers, askedFor } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { ada, idOf, time } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';

type Item = AnswerOf<'previewRule'>['items'][number];
type Run = AnswerOf<'listRuleRuns'>['items'][number];

const rule: AnswerOf<'readRule'> = {
  ...{ id: idOf('Brakes'), name: 'Brakes', position: 0, isActive: true, pausedReason: null },
  trigger: { event: 'message.added', direction: 'inbound' },
  conditions: {
    all: [
      { ticket: { priority: 'high' } },
      { any: [{ message: { subject: { has: ['brake'] } } }, { message: { body: { has: ['brake'] } } }] },
      { ticket: { hasAttachment: true } },
    ],
  },
  actions: { addTags: ['safety'] },
  ...{ onRules: false, stopAfter: false, runCount: 1, lastRunAt: time, lastOutcome: 'done', version: 1 },
  ...{ changedBy: ada.userId, createdAt: time, updatedAt: time },
};

let number = 0;
function itemOf(fields: Partial<Item>): Item {
  number += 1;
  const id = idOf(`t${number}`);
  return {
    ...{ ticketId: id, ticketNumber: number, subject: `Bike ${number}`, eventId: id, at: time, matched: false },
    ...{ because: null, wouldDo: null },
    ...fields,
  };
}

const no = (path: string, seen: NonNullable<Item['because']>['seen'] = null) => ({ because: { path, seen } });
const done = { changes: [], mail: null, error: null };
const items = [
  itemOf({ matched: true, wouldDo: { ...done, did: ['ticket.tagged'] } }),
  itemOf(no('conditions.all.0.ticket.priority', 'normal')),
  itemOf(no('conditions.all.1.any.0.message.subject')),
  itemOf(no('conditions.all.2.ticket.hasAttachment', false)),
  itemOf(no('ticket')),
  itemOf({ matched: null }),
  itemOf({ matched: true, wouldDo: { ...done, did: [], error: 'rule.refers_to_missing' } }),
];
const runs: Run[] = [
  {
    ...{
      id: idOf('run 1'),
      ruleId: rule.id,
      ruleName: 'Brakes',
      ruleVersion: 1,
      ticketId: idOf('t1'),
      ticketNumber: 1,
    },
    ...{ subject: 'Front brake', outcome: 'done', did: ['ticket.tagged', 'note'], error: null, at: time },
  },
  {
    ...{
      id: idOf('run 2'),
      ruleId: rule.id,
      ruleName: 'Brakes',
      ruleVersion: 1,
      ticketId: idOf('t2'),
      ticketNumber: 2,
    },
    ...{ subject: 'Fork', outcome: 'skipped_limit', did: [], error: null, at: time },
  },
];

const service: Answers = {
  ...workspaceWith(),
  listWebhooks: () => [],
  listCalendars: () => [],
  listRules: () => [rule],
  previewRule: () => ({ items, counts: { matched: 2, notMatched: 4, unknown: 1 } }),
  listRuleRuns: () => ({ items: runs }),
};
const preview = page.getByRole('region', { name: 'Preview' });
const results = () => [...preview.element().querySelectorAll('li')].map(({ textContent }) => textContent);

test('the preview says of each ticket what the rule would do, or which condition said no', async () => {
  await openPage(`/settings/rules?rule=${rule.id}`, service);
  await expect.element(preview.getByText('On the last 7 messages 2 would match, nothing is changed')).toBeVisible();
  await preview.getByRole('button', { name: 'Show 2 more' }).click();
  expect(results()).toEqual([
    '#1Bike 1matched: changed the tags',
    '#2Bike 2no, because the priority was Normal',
    '#3Bike 3no, because no word was found',
    '#4Bike 4no, because it has no attachments',
    '#5Bike 5no, because rules pass over this ticket',
    '#6Bike 6cannot be told any more',
    '#7Bike 7matched, but it would fail',
  ]);
  expect(await axeFaults()).toEqual([]);
  await preview.getByRole('button', { name: 'Matched 2' }).click();
  expect(results()).toHaveLength(2);
  await preview.getByRole('button', { name: 'No 5' }).click();
  expect(results()).toHaveLength(5);
});

test('a rule is tried again once it is whole after a change, and not before', async () => {
  await openPage(`/settings/rules?rule=${rule.id}`, service);
  await expect.element(preview.getByText('On the last 7 messages')).toBeVisible();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name: 'the sender’s domain' }).click();
  await expect.element(preview.getByText('The preview comes once')).toBeVisible();
  expect(askedFor('previewRule')).toHaveLength(1);
  await page.getByRole('textbox', { name: 'Add to the sender’s domain' }).fill('north.example,');
  await expect.poll(() => askedFor('previewRule').length).toBe(2);
  expect(askedFor('previewRule')[1]?.body).toMatchObject({ last: 200, rule: { actions: { addTags: ['safety'] } } });
});

test('the runs of a rule say what became of each ticket', async () => {
  await openPage('/settings/rules', service);
  await page.getByRole('button', { name: '1 run', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Runs of “Brakes”' });
  await expect.element(dialog.getByText('changed the tags and added a note')).toBeVisible();
  await expect.element(dialog.getByText('did not run, because it had run too often here')).toBeVisible();
  expect(await axeFaults()).toEqual([]);
});
