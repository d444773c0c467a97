import type { UsedSubject } from '../../access/uses/set-uses.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { isContactShown } from '../../helpdesk/contacts/queries.ts';
import { conditionsIn } from './conditions.ts';
import type { RuleActions, RuleContent, TicketCondition } from './schema.ts';

type Kind = keyof typeof kinds;
type Named = Pick<RuleContent, 'trigger' | 'conditions' | 'actions'>;

/** What a rule names, and where: `actions.teamId`. `isUsed`: the rule works with it, so it must be in service. */
export type Reference = { kind: Kind; id: string; path: string; isUsed: boolean };

/** The ids of what a rule may name: what exists, and what is in service. */
const kinds = {
  mailbox: ({ workspaceId }: Actor, isUsed: boolean): Sql => sql`
    select id from mailboxes where workspace_id = ${workspaceId} and (not ${isUsed} or status <> 'disconnected')`,
  member: ({ workspaceId }: Actor, isUsed: boolean): Sql => sql`
    select user_id from members where workspace_id = ${workspaceId} and (not ${isUsed} or removed_at is null)`,
  team: ({ workspaceId }: Actor, isUsed: boolean): Sql => sql`
    select id from teams where workspace_id = ${workspaceId} and (not ${isUsed} or archived_at is null)`,
  contact: (actor: Actor): Sql => sql`
    select c.id from contacts c where c.workspace_id = ${actor.workspaceId} and ${isContactShown(actor)}`,
  savedReply: ({ workspaceId }: Actor): Sql => sql`
    select id from saved_replies where workspace_id = ${workspaceId} and owner_id is null`,
  webhook: ({ workspaceId }: Actor): Sql => sql`select id from webhooks where workspace_id = ${workspaceId}`,
  calendar: ({ workspaceId }: Actor): Sql => sql`select id from calendars where workspace_id = ${workspaceId}`,
};

export function referencesOf({ trigger, conditions, actions }: Named): Reference[] {
  const inConditions = conditionsIn(conditions).flatMap(({ condition: { ticket, hours }, path }) => [
    ...(ticket === undefined ? [] : inTicket(ticket, `${path}.ticket`)),
    ...used('calendar', `${path}.hours.calendarId`, hours?.calendarId),
  ]);
  return [...used('calendar', 'trigger.calendarId', trigger.calendarId), ...inConditions, ...inActions(actions)];
}

const kindsOfUse = {
  mailbox: 'mailbox',
  team: 'team',
  savedReply: 'saved_reply',
  webhook: 'webhook',
  calendar: 'calendar',
} as const satisfies Partial<Record<Kind, UsedSubject['kind']>>;

/** What is not deleted while the rule names it. Members leave, and contacts are merged, all the same. */
export function usesOf(rule: Named): UsedSubject[] {
  return referencesOf(rule).flatMap(({ kind, id }) =>
    kind === 'member' || kind === 'contact' ? [] : [{ kind: kindsOfUse[kind], id }],
  );
}

function inTicket({ mailbox = [], assignee = [], team = [], contact }: TicketCondition, path: string): Reference[] {
  const of = (kind: Kind, name: string, values: readonly string[]) =>
    values.flatMap((value, index) =>
      value === 'none' ? [] : [{ kind, id: value.toLowerCase(), path: `${path}.${name}.${index}`, isUsed: false }],
    );
  return [
    ...of('mailbox', 'mailbox', mailbox),
    ...of('member', 'assignee', assignee),
    ...of('team', 'team', team),
    ...(contact === undefined
      ? []
      : [{ kind: 'contact', id: contact, path: `${path}.contact`, isUsed: false } as const]),
  ];
}

function inActions({ assignee, mailboxId, teamId, reply, notify, webhookId }: RuleActions): Reference[] {
  return [
    ...used('member', 'actions.assignee', assignee),
    ...used('mailbox', 'actions.mailboxId', mailboxId),
    ...used('team', 'actions.teamId', teamId),
    ...used('savedReply', 'actions.reply.savedReplyId', reply?.savedReplyId),
    ...used('team', 'actions.notify.teamId', notify?.teamId),
    ...(notify?.userIds ?? []).flatMap((userId, index) => used('member', `actions.notify.userIds.${index}`, userId)),
    ...used('webhook', 'actions.webhookId', webhookId),
  ];
}

function used(kind: Kind, path: string, id: string | null | undefined): Reference[] {
  return id === undefined || id === null || id === 'none' ? [] : [{ kind, id: id.toLowerCase(), path, isUsed: true }];
}

/**
 * Throws 409 `rule.refers_to_missing` where a rule names what the workspace does not have.
 * @param before the same rule until now, which may name what has gone since
 */
export async function requireReferences(db: Queryable, actor: Actor, rule: Named, before?: Named): Promise<void> {
  const kept = new Set((before === undefined ? [] : referencesOf(before)).map(({ kind, id }) => `${kind} ${id}`));
  const asked = referencesOf(rule).filter(({ kind, id }) => !kept.has(`${kind} ${id}`));
  const groups = Map.groupBy(asked, ({ kind, isUsed }) => `${kind} ${isUsed}`);
  for (const group of groups.values()) {
    const [{ kind, isUsed } = { kind: 'team', isUsed: false } as const] = group;
    const ids = [...new Set(group.map(({ id }) => id))];
    const unknown = await db.rows<{ id: string }>(sql`
      select one.id from unnest(${ids}::uuid[]) as one (id) where one.id not in (${kinds[kind](actor, isUsed)})`);
    const missing = group.find(({ id }) => unknown.some((one) => one.id === id));
    if (missing !== undefined) throw new AppError('rule.refers_to_missing', { path: `body.${missing.path}`, kind });
  }
}
