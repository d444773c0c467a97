import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TeamId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { ReasonKey } from '../providers/mailbox-reasons.ts';
import type { ProviderKey } from '../providers/registry.ts';
import { sendersOf } from './addresses.ts';
import type { MailboxView } from './schema.ts';
import type { MailboxStatus, SendStatus } from './status/state.ts';

/** A mailbox for jobs, without its credentials. */
export type Mailbox = {
  workspaceId: WorkspaceId;
  id: string;
  provider: ProviderKey;
  address: string;
  /** The account whose rights open a shared mailbox. */
  delegateAddress: string | null;
  aliases: string[];
  /** The addresses beside its own from which it sends, if it does not list them itself. */
  sendAs: string[];
  status: MailboxStatus;
  statusChangedAt: string;
  sendStatus: SendStatus;
  /** Whether the last send was refused. */
  isSendRefused: boolean;
  defaultAssigneeId: UserId | null;
  defaultTags: string[];
  signature: string | null;
  connectedAt: string;
  /** When the list of new mail was last read to its end; null before the first time. */
  lastSyncedAt: string | null;
  /** How many days of older mail the owner chose when connecting. */
  historyDays: number;
};

/** @returns the mailbox, even when disconnected */
export function findMailbox(db: Queryable, { workspaceId, mailboxId }: MailboxKey): Promise<Mailbox | undefined> {
  return db.maybe<Mailbox>(sql`
    select workspace_id as "workspaceId", id, provider, address, delegate_address as "delegateAddress", aliases,
      send_as as "sendAs", status, status_changed_at as "statusChangedAt", send_status as "sendStatus",
      send_refused_since is not null as "isSendRefused",
      default_assignee_id as "defaultAssigneeId", default_tags as "defaultTags", signature,
      connected_at as "connectedAt", history_days as "historyDays",
      (
        select s.synced_at from mailbox_syncs s where s.workspace_id = ${workspaceId} and s.mailbox_id = ${mailboxId}
      ) as "lastSyncedAt"
    from mailboxes
    where workspace_id = ${workspaceId} and id = ${mailboxId}`);
}

type Connected = {
  /** The team in which its tickets begin. */
  teamId: TeamId | null;
};

/** Throws 400 if the mailbox is disconnected or belongs to another workspace. */
export async function requireConnected(
  db: Queryable,
  workspaceId: WorkspaceId,
  mailboxId: string,
  path = 'body.mailboxId',
): Promise<Connected> {
  const mailbox = await findConnected(db, workspaceId, mailboxId);
  if (mailbox === undefined) throw invalidRequest({ path, key: 'not_a_mailbox' });
  return mailbox;
}

export async function isConnected(db: Queryable, workspaceId: WorkspaceId, mailboxId: string): Promise<boolean> {
  return (await findConnected(db, workspaceId, mailboxId)) !== undefined;
}

function findConnected(db: Queryable, workspaceId: WorkspaceId, mailboxId: string): Promise<Connected | undefined> {
  return db.maybe<Connected>(sql`
    select team_id as "teamId" from mailboxes
    where workspace_id = ${workspaceId} and id = ${mailboxId} and status <> 'disconnected'`);
}

/** The team in which tickets of a mailbox begin, whether it is connected or not. */
export async function findTeamOfMailbox(
  db: Queryable,
  workspaceId: WorkspaceId,
  mailboxId: string,
): Promise<TeamId | null> {
  const mailbox = await db.maybe<Connected>(sql`
    select team_id as "teamId" from mailboxes where workspace_id = ${workspaceId} and id = ${mailboxId}`);
  return mailbox?.teamId ?? null;
}

/** The addresses at which the workspace's connected mailboxes send and receive, and the others that people named. */
export async function readNamedAddresses(db: Queryable, workspaceId: WorkspaceId): Promise<string[]> {
  const rows = await db.rows<{ addresses: string[] }>(sql`
    select own_addresses as addresses from workspaces where id = ${workspaceId}
    union all
    select array_prepend(address, aliases || send_as) as addresses
    from mailboxes
    where workspace_id = ${workspaceId} and status <> 'disconnected'`);
  return rows.flatMap(({ addresses }) => addresses);
}

/** The limit per workspace, so that the list needs no pages. */
export const mailboxesMax = 100;

/** Lists the workspace's connected mailboxes by address, as the API shows them. */
export async function listMailboxes(db: Queryable, workspaceId: WorkspaceId): Promise<MailboxView[]> {
  const views = await db.rows<StoredView>(
    sql`${viewsOf(workspaceId)} order by m.address_key, m.provider limit ${mailboxesMax}`,
  );
  return views.map(withSenders);
}

type StoredView = Omit<MailboxView, 'senders'>;

function withSenders(view: StoredView): MailboxView {
  return { ...view, senders: sendersOf(view) };
}

/** The ids of the mailboxes that `listMailboxes` shows. */
export async function listMailboxIds(db: Queryable, workspaceId: WorkspaceId): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    select id from mailboxes
    where workspace_id = ${workspaceId} and status <> 'disconnected'
    order by address_key, provider
    limit ${mailboxesMax}`);
  return rows.map(({ id }) => id);
}

/** Throws 404, also for a disconnected mailbox. */
export async function getMailbox(db: Queryable, { workspaceId, mailboxId }: MailboxKey): Promise<MailboxView> {
  const view = await db.maybe<StoredView>(sql`${viewsOf(workspaceId)} and m.id = ${mailboxId}`);
  if (view === undefined) throw new AppError('mailbox.not_found');
  return withSenders(view);
}

const instant = (column: Sql): Sql => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

function viewsOf(workspaceId: WorkspaceId): Sql {
  return sql`
    select m.id, m.provider, m.address, m.delegate_address as "delegateAddress", m.aliases, m.send_as as "sendAs",
      m.name, m.status,
      coalesce(m.status_reason, case when m.status = 'active' then s.remark end) as "statusReason",
      case
        when m.status_reason is not null then m.status_reason_key
        when m.status = 'active' and s.remark is not null
          then coalesce(s.remark_key, ${'renumbered' satisfies ReasonKey})
      end as "statusReasonKey",
      m.status_changed_at as "statusChangedAt", m.send_status as "sendStatus",
      m.send_status_reason as "sendStatusReason", m.send_status_reason_key as "sendStatusReasonKey",
      coalesce(m.send_status_changed_at, m.connected_at) as "sendStatusChangedAt",
      m.default_assignee_id as "defaultAssigneeId",
      m.default_tags as "defaultTags", m.team_id as "teamId", m.when_answered as "whenAnswered", m.signature,
      m.connected_at as "connectedAt", s.synced_at as "lastSyncedAt",
      case when s.failures > 0 then coalesce(s.synced_at, m.connected_at) end as "unreachableSince",
      case when m.history_days > 0 and s.history_since is not null then json_build_object(
        'since', ${instant(sql`s.history_since`)}, 'isComplete', s.history_page is null) end as history,
      array(
        select json_build_object('key', w.watch_key, 'expiresAt', ${instant(sql`w.expires_at`)})
        from mailbox_watches w
        where w.workspace_id = ${workspaceId} and w.mailbox_id = m.id
        order by w.watch_key) as watches,
      (
        select count(*)
        from mailbox_stuck_mails k
        where k.workspace_id = ${workspaceId} and k.mailbox_id = m.id and k.fault is not null
      ) as "stuckMails",
      m.created_at as "createdAt", m.updated_at as "updatedAt"
    from mailboxes m
    left join mailbox_syncs s on s.workspace_id = ${workspaceId} and s.mailbox_id = m.id
    where m.workspace_id = ${workspaceId} and m.status <> 'disconnected'`;
}
