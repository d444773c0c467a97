import type { TObject } from 'typebox';
import { expect, test } from 'vitest';
import { carriedOf, type TableName } from '../../ground/catalog/tables/tables.ts';
import { attachmentRecord } from './record-fields.ts';
import { rowOf } from './rows.ts';
import { eventRecord, mailRecord, messageRecord, ticketRecord } from './ticket-records.ts';
import {
  auditRecord,
  autoReplyRecord,
  blockedSenderRecord,
  calendarRecord,
  contactRecord,
  draftRecord,
  mailboxRecord,
  ruleRecord,
  savedReplyRecord,
  surveyAskRecord,
  surveyRecord,
  teamRecord,
  viewRecord,
} from './workspace-records.ts';

/** Fields that stand for rows of other tables, or that tell one line from another. */
const others = new Set([
  'kind',
  'attachments',
  'days',
  'followers',
  'mail_ids',
  'mails',
  'members',
  'merge',
  'named_mail_ids',
  'participants',
  'sample',
  'thread_tokens',
]);

test.each<[TableName, TObject]>([
  ['activity', eventRecord],
  ['attachments', attachmentRecord],
  ['audit_log', auditRecord],
  ['blocked_senders', blockedSenderRecord],
  ['calendars', calendarRecord],
  ['rules', ruleRecord],
  ['contacts', contactRecord],
  ['drafts', draftRecord],
  ['mailboxes', mailboxRecord],
  ['messages', messageRecord],
  ['raw_mails', mailRecord],
  ['saved_replies', savedReplyRecord],
  ['auto_replies', autoReplyRecord],
  ['surveys', surveyRecord],
  ['survey_asks', surveyAskRecord],
  ['teams', teamRecord],
  ['tickets', ticketRecord],
  ['views', viewRecord],
])('a record of %s has the columns that an export carries', (table, { properties }) => {
  const carried = carriedOf(table);
  const fields = Object.keys(rowOf({ ...properties })).map((name) => (name === 'number' ? 'ticket_number' : name));
  expect(fields.filter((name) => carried.includes(name) || !others.has(name)).sort()).toEqual(carried.sort());
});
