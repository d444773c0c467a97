import type { TSchema } from 'typebox';
import { fileOf, type RecordFile } from './format.ts';
import { type ProblemList, problemList } from './problems.ts';
import { checkFiles, openExport, readRecords, readTickets } from './read-export.ts';
import type { AttachmentRecord } from './record-fields.ts';
import { checkContents } from './take-contents.ts';
import { type MailRecord, mailRecord } from './ticket-records.ts';
import {
  auditRecord,
  autoReplyRecord,
  blockedSenderRecord,
  calendarRecord,
  contactRecord,
  draftRecord,
  mailboxRecord,
  memberRecord,
  ruleRecord,
  savedReplyRecord,
  surveyAskRecord,
  surveyRecord,
  teamRecord,
  viewRecord,
  workspaceRecord,
} from './workspace-records.ts';

export type Checked = { counts: Record<RecordFile, number>; problems: ProblemList };

type RecordWithFiles = { attachments?: AttachmentRecord[]; mails?: MailRecord[] };

const schemas = {
  workspace: workspaceRecord,
  members: memberRecord,
  mailboxes: mailboxRecord,
  contacts: contactRecord,
  'blocked-senders': blockedSenderRecord,
  mails: mailRecord,
  'saved-replies': savedReplyRecord,
  teams: teamRecord,
  calendars: calendarRecord,
  rules: ruleRecord,
  'auto-replies': autoReplyRecord,
  surveys: surveyRecord,
  'survey-asks': surveyAskRecord,
  views: viewRecord,
  drafts: draftRecord,
  audit: auditRecord,
} satisfies Record<Exclude<RecordFile, 'tickets'>, TSchema>;

/**
 * Reads a whole export as an import would, but without a database. Counts the records, and lists the problems that an
 * import would report.
 */
export async function checkExport(folder: string, signal: AbortSignal): Promise<Checked> {
  const manifest = await openExport(folder);
  const problems = problemList();
  await checkFiles(folder, manifest, problems);
  const contents = { folder, missing: new Set(manifest.missing) };
  const check = async (at: { file: string; line: number }, { attachments = [], mails = [] }: RecordWithFiles) => {
    await checkContents(contents, { attachments, mails }).catch((error) => problems.addError(at, error));
  };
  const counts: Partial<Checked['counts']> = {};
  for (const [name, schema] of Object.entries(schemas) as [keyof typeof schemas, TSchema][]) {
    let count = 0;
    for await (const { line, content } of readRecords(folder, name, schema, problems)) {
      if (signal.aborted) break;
      count += 1;
      const named = name === 'mails' ? { mails: [content as MailRecord] } : (content as RecordWithFiles);
      await check({ file: fileOf(name), line }, named);
    }
    counts[name] = count;
  }
  let tickets = 0;
  for await (const { line, messages } of readTickets(folder, problems)) {
    if (signal.aborted) break;
    tickets += 1;
    for (const { content } of messages) await check({ file: fileOf('tickets'), line }, content);
  }
  return { counts: { ...(counts as Checked['counts']), tickets }, problems };
}
