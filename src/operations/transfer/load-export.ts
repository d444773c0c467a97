import type { Static, TSchema } from 'typebox';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { refill } from '../../insight/reports/catch-up.ts';
import { gatherStatistics } from '../../transport/mailflow/gather-statistics.ts';
import { fileOf, type RecordFile } from './format.ts';
import { loadContacts, loadMailbox, loadMember, loadWorkspace } from './load-people.ts';
import { loadRule } from './load-rules.ts';
import {
  loadAudit,
  loadAutoReply,
  loadBlockedSender,
  loadCalendar,
  loadDraft,
  loadSavedReply,
  loadSurvey,
  loadSurveyAsk,
  loadTeam,
  loadView,
  type SettingOutcome,
} from './load-settings.ts';
import { loadTickets } from './load-tickets.ts';
import type { Loaded, Loading, LoadOptions, LoadTotals } from './loading.ts';
import { type ProblemList, problemList } from './problems.ts';
import { checkFiles, openExport, type ReadRecord, readRecords } from './read-export.ts';
import type { AttachmentRecord } from './record-fields.ts';
import { checkContents, putContents } from './take-contents.ts';
import { mailRecord } from './ticket-records.ts';
import { writeRawMails } from './ticket-rows.ts';
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

/**
 * Loads an export into a workspace. Each transaction takes whole records, or a ticket with its messages and events. So
 * nothing stays half done, even if a crash ends the import. A second import takes only new and changed records.
 * It notifies nobody, sends nothing, and tells no webhook.
 */
export async function loadExport(
  { db, blobs }: { db: Db; blobs: Blobs },
  folder: string,
  { workspaceId: wanted, ...options }: LoadOptions,
): Promise<Loaded> {
  const manifest = await openExport(folder);
  const problems = problemList();
  await checkFiles(folder, manifest, problems);
  const contents = { folder, missing: new Set(manifest.missing) };
  const workspace = await readWorkspace(folder, problems);
  const workspaceId = wanted ?? (workspace.id as WorkspaceId);
  const totals = noTotals();
  const loading: Loading = {
    ...options,
    db,
    blobs,
    contents,
    workspaceId,
    ids: new Map(),
    erased: new Set(),
    totals,
    problems,
  };
  totals.workspace[await db.tx((tx) => loadWorkspace(tx, workspaceId, workspace))] += 1;
  await loadPeople(loading);
  await loadTickets(loading, workspace.lastTicketNumber);
  await loadMails(loading);
  await loadOthers(loading);
  await db.tx((tx) => refill(tx, workspaceId));
  await gatherStatistics(db, totals.tickets.new);
  return { workspaceId, totals, problems };
}

async function readWorkspace(folder: string, problems: ProblemList): Promise<Static<typeof workspaceRecord>> {
  for await (const { content } of readRecords(folder, 'workspace', workspaceRecord, problems)) return content;
  const [problem] = problems.kept.filter(({ file }) => file === fileOf('workspace'));
  throw new StartError(`${folder} names no workspace: workspace.jsonl ${problem?.reason ?? 'is empty'}.`);
}

function noTotals(): LoadTotals {
  const none = () => ({ new: 0, updated: 0, known: 0 });
  return {
    workspace: none(),
    members: none(),
    teams: none(),
    'auto-replies': none(),
    surveys: none(),
    'survey-asks': none(),
    calendars: none(),
    mailboxes: none(),
    contacts: none(),
    'blocked-senders': none(),
    tickets: none(),
    mails: none(),
    'saved-replies': none(),
    rules: none(),
    views: none(),
    drafts: none(),
    audit: none(),
  };
}

async function loadPeople(loading: Loading): Promise<void> {
  const { db, workspaceId, ids, erased, totals, problems } = loading;
  await eachRecord(loading, 'members', memberRecord, async (tx, record) => {
    const { hereId, isNew } = await loadMember(tx, workspaceId, record);
    if (hereId !== record.content.id) ids.set(record.content.id, hereId);
    return isNew ? 'new' : 'known';
  });
  await eachRecord(loading, 'teams', teamRecord, (tx, record) => loadTeam(tx, { workspaceId, ids }, record));
  await eachRecord(loading, 'calendars', calendarRecord, (tx, record) =>
    loadCalendar(tx, { workspaceId, ids }, record),
  );
  await eachRecord(loading, 'mailboxes', mailboxRecord, (tx, record) => loadMailbox(tx, workspaceId, record, ids));
  const file = fileOf('contacts');
  const refuse = (line: number, error: unknown) => problems.addError({ file, line }, error);
  for await (const batch of batchesOf(loading, 'contacts', contactRecord)) {
    const loaded = await loadContacts(db, workspaceId, batch, { ids, erased, refuse });
    for (const key of ['new', 'updated', 'known'] as const) totals.contacts[key] += loaded[key];
    loading.onProgress(totals);
  }
}

async function loadMails(loading: Loading): Promise<void> {
  const { blobs, contents, workspaceId } = loading;
  await eachRecord(loading, 'mails', mailRecord, async (tx, { content }) => {
    const named = { attachments: [], mails: [content] };
    await checkContents(contents, named);
    await putContents(blobs, workspaceId, contents, named);
    const made = await writeRawMails(tx, workspaceId, [{ ...content, messageId: null }]);
    return made > 0 ? 'new' : 'known';
  });
}

async function loadOthers(loading: Loading): Promise<void> {
  const { db, workspaceId, ids, totals, problems } = loading;
  const place = { workspaceId, ids };
  await eachRecord(loading, 'blocked-senders', blockedSenderRecord, (tx, record) =>
    loadBlockedSender(tx, place, record),
  );
  await eachRecord(loading, 'saved-replies', savedReplyRecord, async (tx, record) => {
    await takeFiles(loading, record.content.attachments);
    return loadSavedReply(tx, place, record);
  });
  await eachRecord(loading, 'rules', ruleRecord, (tx, record) => loadRule(tx, place, record));
  await eachRecord(loading, 'auto-replies', autoReplyRecord, (tx, record) => loadAutoReply(tx, place, record));
  await eachRecord(loading, 'surveys', surveyRecord, (tx, record) => loadSurvey(tx, place, record));
  await eachRecord(loading, 'survey-asks', surveyAskRecord, (tx, record) => loadSurveyAsk(tx, place, record));
  await eachRecord(loading, 'views', viewRecord, (tx, record) => loadView(tx, place, record));
  await eachRecord(loading, 'drafts', draftRecord, async (tx, record) => {
    await takeFiles(loading, record.content.attachments);
    return loadDraft(tx, place, record);
  });
  for await (const batch of batchesOf(loading, 'audit', auditRecord)) {
    const entries = batch.map(({ content }) => content);
    const file = fileOf('audit');
    const insert = (some: typeof entries) => db.tx((tx) => loadAudit(tx, place, some));
    const made = await insert(entries).catch((error) => error as unknown);
    if (typeof made === 'number') totals.audit.new += made;
    else
      for (const { line, content } of batch)
        await insert([content]).then(
          (count) => (totals.audit.new += count),
          (error) => problems.addError({ file, line }, error),
        );
    loading.onProgress(totals);
  }
}

async function takeFiles({ blobs, workspaceId, contents }: Loading, attachments: AttachmentRecord[] = []) {
  const named = { attachments, mails: [] };
  await checkContents(contents, named);
  await putContents(blobs, workspaceId, contents, named);
}

/** Loads the records of a file, each in its transaction. */
async function eachRecord<Schema extends TSchema>(
  { db, contents: { folder }, totals, problems, signal, onProgress }: Loading,
  name: RecordFile,
  schema: Schema,
  load: (tx: Tx, record: ReadRecord<Static<Schema>>) => Promise<SettingOutcome>,
): Promise<void> {
  const file = fileOf(name);
  for await (const record of readRecords(folder, name, schema, problems)) {
    if (signal.aborted) return;
    await db
      .tx((tx) => load(tx, record))
      .then(
        (outcome) => (totals[name][outcome] += 1),
        (error) => problems.addError({ file, line: record.line }, error),
      );
    onProgress(totals);
  }
}

const batchMax = 500;

async function* batchesOf<Schema extends TSchema>(
  { contents: { folder }, problems, signal }: Loading,
  name: RecordFile,
  schema: Schema,
): AsyncGenerator<ReadRecord<Static<Schema>>[]> {
  let batch: ReadRecord<Static<Schema>>[] = [];
  for await (const record of readRecords(folder, name, schema, problems)) {
    if (signal.aborted) return;
    batch.push(record);
    if (batch.length < batchMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
