import type { Static } from 'typebox';
import { restrictedTeamsMax, teamNameMax, teamsMax } from '../../access/teams/schema.ts';
import { setUses, type UsedSubject } from '../../access/uses/set-uses.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import { orderedHours } from '../../automation/calendars/hours.ts';
import { calendarNameMax, calendarsMax } from '../../automation/calendars/schema.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { importedColumns, importedValues, replacedColumns, tableNamed } from '../../ground/database/table-sql.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { firstCodePoints, foldText, nameKey } from '../../ground/lib/text.ts';
import { searchVectorOf } from '../../helpdesk/replies/keep-saved-reply.ts';
import { readSender } from '../../helpdesk/spam/sender.ts';
import { type IdsHere, withIdsHere } from './ids-here.ts';
import { findImported, noteImported } from './imported-records.ts';
import { RefusedRecord } from './problems.ts';
import type { ReadRecord } from './read-export.ts';
import type { AttachmentRecord } from './record-fields.ts';
import { rowOf, rowsOf } from './rows.ts';
import type {
  auditRecord,
  autoReplyRecord,
  blockedSenderRecord,
  calendarRecord,
  draftRecord,
  savedReplyRecord,
  surveyAskRecord,
  surveyRecord,
  teamRecord,
  viewRecord,
} from './workspace-records.ts';

/** What an import brings of settings, and its drafts and audit log. */

export type SettingOutcome = 'new' | 'updated' | 'known';

export type SettingsTarget = { workspaceId: WorkspaceId; ids: IdsHere };

const kindOf = {
  teams: 'team',
  auto_replies: 'auto_reply',
  surveys: 'survey',
  survey_asks: 'survey_ask',
  calendars: 'calendar',
  rules: 'rule',
  saved_replies: 'saved_reply',
  blocked_senders: 'blocked_sender',
  views: 'view',
  drafts: 'draft',
} as const;

type Loaded = {
  table: keyof typeof kindOf;
  id: string;
  hash: Buffer;
  /** By the names of the columns. */
  row: object;
  /** Whether a record that is here already stays as it is. */
  isKept?: boolean;
};

/**
 * Writes a record that is new, or that has changed in the source. A record that was deleted here stays deleted.
 * @param rest what follows once the row is written
 */
export async function load(
  tx: Tx,
  workspaceId: WorkspaceId,
  { table, id, hash, row, isKept = false }: Loaded,
  rest: () => Promise<void> = async () => {},
): Promise<SettingOutcome> {
  const kind = kindOf[table];
  const earlier = (await findImported(tx, workspaceId, kind, [id])).get(id);
  if (earlier?.hash === hash.toString('hex') || (earlier !== undefined && isKept)) return 'known';
  const values = sql`json_populate_record(null::${tableNamed(table)}, ${JSON.stringify(row)}::json) r`;
  // A member may have a draft of the same kind.
  const conflict = table === 'drafts' ? emptySql : sql`(workspace_id, id)`;
  // Returns ids, because Citus otherwise counts rows that are there already as inserted.
  const written = await (earlier === undefined
    ? tx.run(sql`
      insert into ${tableNamed(table)} (workspace_id, ${importedColumns(table)})
      select ${workspaceId}, ${importedValues(table, 'r')}
      from ${values}
      on conflict ${conflict} do nothing
      returning id`)
    : tx.run(sql`
      update ${tableNamed(table)} t
      set ${replacedColumns(table, 'r')}
      from ${values}
      where t.workspace_id = ${workspaceId} and t.id = r.id`));
  if (written === 0 && earlier === undefined)
    throw new RefusedRecord('a record with this id is here already, and came from no import');
  if (written > 0) await rest();
  await noteImported(tx, workspaceId, kind, [{ id, hereId: id, hash }]);
  return earlier === undefined ? 'new' : 'updated';
}

/**
 * A team whose name is taken here gets another name, because it may hide its tickets from others. A team beyond the
 * limits is refused, and with it its tickets, rather than shown to everybody.
 */
export async function loadTeam(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof teamRecord>>,
): Promise<SettingOutcome> {
  const { members = [], ...team } = withIdsHere(content, ids);
  const { id } = team;
  await lockWorkspace(tx, workspaceId);
  const others = await tx.one<{ all: number; restricted: number; hasNamesake: boolean }>(sql`
    select count(*) as all, count(*) filter (where visibility = 'members') as restricted,
      coalesce(bool_or(name_key = ${nameKey(team.name)}), false) as "hasNamesake"
    from teams where workspace_id = ${workspaceId} and id <> ${id}`);
  if (others.all >= teamsMax) throw new RefusedRecord(`a workspace has ${teamsMax} teams at most`);
  if (team.visibility === 'members' && others.restricted >= restrictedTeamsMax)
    throw new RefusedRecord(`a workspace has ${restrictedTeamsMax} restricted teams at most`);
  const name = others.hasNamesake ? otherName(team, teamNameMax) : team.name;
  const row = rowOf({ ...team, name, nameKey: nameKey(name) });
  tx.revokes();
  return load(tx, workspaceId, { table: 'teams', id, hash, row }, async () => {
    await tx.run(sql`delete from team_members where workspace_id = ${workspaceId} and team_id = ${id}`);
    await tx.run(sql`
      insert into team_members (workspace_id, team_id, ${importedColumns('team_members')})
      select ${workspaceId}, ${id}, ${importedValues('team_members', 'r')}
      from json_populate_recordset(null::team_members, ${rowsOf(members)}::json) r`);
  });
}

/** Business hours whose name is taken here get another name. */
export async function loadCalendar(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof calendarRecord>>,
): Promise<SettingOutcome> {
  const { days: given = [], ...calendar } = withIdsHere(content, ids);
  const { id } = calendar;
  const { days, ...hours } = orderedHours({ ...calendar, days: given });
  await lockWorkspace(tx, workspaceId);
  const others = await tx.one<{ all: number; hasNamesake: boolean }>(sql`
    select count(*) as all, coalesce(bool_or(name_key = ${nameKey(calendar.name)}), false) as "hasNamesake"
    from calendars where workspace_id = ${workspaceId} and id <> ${id}`);
  if (others.all >= calendarsMax) throw new RefusedRecord(`a workspace has ${calendarsMax} calendars at most`);
  const name = others.hasNamesake ? otherName(calendar, calendarNameMax) : calendar.name;
  const row = rowOf({ ...calendar, ...hours, name, nameKey: nameKey(name) });
  return load(tx, workspaceId, { table: 'calendars', id, hash, row }, async () => {
    await tx.run(sql`delete from calendar_days where workspace_id = ${workspaceId} and calendar_id = ${id}`);
    await tx.run(sql`
      insert into calendar_days (workspace_id, calendar_id, ${importedColumns('calendar_days')})
      select ${workspaceId}, ${id}, ${importedValues('calendar_days', 'r')}
      from json_populate_recordset(null::calendar_days, ${rowsOf(days)}::json) r`);
  });
}

export function otherName({ id, name }: { id: string; name: string }, lengthMax: number): string {
  const suffix = ` ${id}`;
  return firstCodePoints(name, lengthMax - suffix.length) + suffix;
}

export function loadSavedReply(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof savedReplyRecord>>,
): Promise<SettingOutcome> {
  const reply = withIdsHere(content, ids);
  const { id, name, shortcut = null, body, bodyHtml = null, attachments = [] } = reply;
  const row = {
    ...rowOf({ actions: {}, version: 1, ...reply }),
    body_html: bodyHtml === null ? null : sanitizeHtml(bodyHtml),
    name_key: foldText(name),
    search: searchVectorOf({ name, shortcut, body }),
  };
  return load(tx, workspaceId, { table: 'saved_replies', id, hash, row }, () =>
    replaceFiles(tx, workspaceId, { savedReplyId: id }, attachments),
  );
}

/** It arrives switched off. What names nothing here is refused, because it would mail something else. */
export async function loadAutoReply(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof autoReplyRecord>>,
): Promise<SettingOutcome> {
  const reply = withIdsHere(content, ids);
  const { id, savedReplyId, calendarId = null, mailboxId = null } = reply;
  await lockWorkspace(tx, workspaceId);
  const named = await tx.maybe(sql`
    select from saved_replies s
    where s.workspace_id = ${workspaceId} and s.id = ${savedReplyId} and s.owner_id is null
      and (${calendarId}::uuid is null
        or exists (select from calendars c where c.workspace_id = ${workspaceId} and c.id = ${calendarId}))
      and (${mailboxId}::uuid is null
        or exists (select from mailboxes b where b.workspace_id = ${workspaceId} and b.id = ${mailboxId}))`);
  if (named === undefined) throw new RefusedRecord('its saved reply, business hours or mailbox is not here');
  const uses: UsedSubject[] = [
    { kind: 'saved_reply', id: savedReplyId },
    ...(calendarId === null ? [] : [{ kind: 'calendar' as const, id: calendarId }]),
    ...(mailboxId === null ? [] : [{ kind: 'mailbox' as const, id: mailboxId }]),
  ];
  return load(tx, workspaceId, { table: 'auto_replies', id, hash, row: rowOf(reply) }, () =>
    setUses(tx, workspaceId, { kind: 'auto_reply', id }, uses),
  );
}

/** It arrives switched off. One whose mailbox is not here is refused, because it would ask everybody. */
export async function loadSurvey(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof surveyRecord>>,
): Promise<SettingOutcome> {
  const survey = withIdsHere(content, ids);
  const { mailboxId = null } = survey;
  const mailbox = await tx.maybe(sql`
    select from mailboxes b where b.workspace_id = ${workspaceId} and b.id = ${mailboxId}::uuid`);
  if (mailboxId !== null && mailbox === undefined) throw new RefusedRecord('its mailbox is not here');
  return load(tx, workspaceId, { table: 'surveys', id: survey.id, hash, row: rowOf(survey) });
}

/** A question to a customer, with the answer. */
export async function loadSurveyAsk(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof surveyAskRecord>>,
): Promise<SettingOutcome> {
  const asked = withIdsHere(content, ids);
  const message = await tx.maybe(sql`
    select from messages m where m.workspace_id = ${workspaceId} and m.id = ${asked.messageId}`);
  if (message === undefined) throw new RefusedRecord('its message is not here');
  return load(tx, workspaceId, { table: 'survey_asks', id: asked.id, hash, row: rowOf(asked) });
}

export function loadBlockedSender(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof blockedSenderRecord>>,
): Promise<SettingOutcome> {
  const blocked = withIdsHere(content, ids);
  const { id, sender } = blocked;
  const senderKey = readSender(sender)?.key;
  if (senderKey === undefined) throw new RefusedRecord('the sender is no mail address and no domain');
  const row = rowOf({ ...blocked, senderKey });
  return load(tx, workspaceId, { table: 'blocked_senders', id, hash, row, isKept: true });
}

export function loadView(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof viewRecord>>,
): Promise<SettingOutcome> {
  const view = withIdsHere(content, ids);
  return load(tx, workspaceId, { table: 'views', id: view.id, hash, row: rowOf(view) });
}

/** A draft stays its author's alone. */
export function loadDraft(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof draftRecord>>,
): Promise<SettingOutcome> {
  const draft = withIdsHere(content, ids);
  const { id, bodyHtml = null, attachments = [] } = draft;
  const row = {
    ...rowOf({ version: 1, ...draft }),
    body_html: bodyHtml === null ? null : sanitizeHtml(bodyHtml, { keepsMentions: true }),
  };
  return load(tx, workspaceId, { table: 'drafts', id, hash, row, isKept: true }, () =>
    replaceFiles(tx, workspaceId, { draftId: id }, attachments),
  );
}

async function replaceFiles(
  tx: Tx,
  workspaceId: WorkspaceId,
  owner: { savedReplyId?: string; draftId?: string },
  attachments: readonly AttachmentRecord[],
): Promise<void> {
  const { savedReplyId, draftId } = { savedReplyId: null, draftId: null, ...owner };
  await together([
    tx.run(sql`
      delete from attachments
      where workspace_id = ${workspaceId} and (saved_reply_id = ${savedReplyId} or draft_id = ${draftId})`),
    tx.run(sql`
      insert into attachments (workspace_id, saved_reply_id, draft_id, ${importedColumns('attachments')})
      select ${workspaceId}, ${savedReplyId}, ${draftId}, ${importedValues('attachments', 'r')}
      from json_populate_recordset(null::attachments, ${rowsOf(attachments)}::json) r`),
  ]);
}

/** Entries that are here already stay. @returns how many are new */
export async function loadAudit(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  entries: readonly Static<typeof auditRecord>[],
): Promise<number> {
  const rows = entries.map((entry) => withIdsHere(entry, ids));
  return tx.run(sql`
    insert into audit_log (workspace_id, ${importedColumns('audit_log')})
    select ${workspaceId}, ${importedValues('audit_log', 'r')}
    from json_populate_recordset(null::audit_log, ${rowsOf(rows)}::json) r
    on conflict (workspace_id, id) do nothing
    returning id`);
}
