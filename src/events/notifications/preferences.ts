import { randomBytes } from 'node:crypto';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { Preferences, PreferencesChange } from './preference-schema.ts';
import { gatheredTypes, type NotificationType } from './rules.ts';

const on = { inApp: true, email: true };
const off = { inApp: false, email: false };
const ofNoMailbox = { ...off, mailboxIds: null };

/**
 * Preferences of a user who has chosen nothing: only of what is theirs. `gather.ts` asks only users who have chosen, so
 * its types are off.
 */
export const defaults: Preferences = {
  digest: 'at_once',
  types: {
    ...{ mention: on, assignment: on, team_assignment: off, reply: on, colleague: off },
    ...{ new_ticket: ofNoMailbox, unassigned_reply: ofNoMailbox, mailbox: on, rule: on, rule_paused: on, team: on },
  },
};

/** The condition that a user with preferences `p`, or without a row, wants notifications of a type in this way. */
export function wants(type: NotificationType, way: 'inApp' | 'email'): Sql {
  return sql`coalesce((p.types->${type}::text->>${way}::text)::boolean, ${defaults.types[type][way]}::boolean)`;
}

/** The condition that preferences `p` choose a mailbox for a type that gathers. Null: tickets without a mailbox. */
export function choosesMailbox(type: Sql, mailboxId: Sql): Sql {
  const chosen = sql`p.types->${type}->'mailboxIds'`;
  return sql`(coalesce(${chosen}, 'null') = 'null' or ${chosen} ? ${mailboxId}::text)`;
}

/** A user's notification preferences, which apply to all workspaces. */
export async function readPreferences(db: Queryable, userId: UserId): Promise<Preferences> {
  const kept = await db.maybe<Preferences>(sql`
    select digest, types from notification_preferences where user_id = ${userId}`);
  return kept === undefined ? defaults : withDefaults(kept);
}

/** Preferences saved before a notification type existed lack that type. */
function withDefaults({ digest, types }: Preferences): Preferences {
  return { digest, types: { ...defaults.types, ...types } };
}

/** Writes the defaults down for a user without a row. */
export async function keepDefaults(tx: Tx, userId: UserId): Promise<void> {
  const { digest, types } = defaults;
  await tx.run(sql`
    insert into notification_preferences (user_id, digest, types, unsubscribe_key, updated_at)
    values (${userId}, ${digest}, ${JSON.stringify(types)}, ${randomBytes(32)}, ${tx.now})
    on conflict do nothing`);
}

/** Changes only the given fields. */
export async function changePreferences(tx: Tx, userId: UserId, change: PreferencesChange): Promise<Preferences> {
  await keepDefaults(tx, userId);
  // Locks the row, so that two concurrent changes do not overwrite each other.
  const kept = await tx.one<Preferences>(sql`
    select digest, types from notification_preferences where user_id = ${userId} for update`);
  const before = withDefaults(kept);
  await refuseOtherMailboxes(tx, userId, before, change);
  const after: Preferences = {
    digest: change.digest ?? before.digest,
    types: merged(before.types, change.types ?? {}),
  };
  await tx.run(sql`
    update notification_preferences
    set digest = ${after.digest}, types = ${JSON.stringify(after.types)}, updated_at = ${tx.now}
    where user_id = ${userId}`);
  return after;
}

type Types = Preferences['types'];

function merged(types: Types, changes: Partial<Record<NotificationType, object>>): Types {
  const entries = Object.entries(types) as [NotificationType, object][];
  // The cast holds: each type keeps its shape, which the schema of the change has checked.
  return Object.fromEntries(entries.map(([type, value]) => [type, { ...value, ...changes[type] }])) as Types;
}

/** Throws 400 for a mailbox of a workspace whose member the user is not, unless the user has chosen it before. */
async function refuseOtherMailboxes(
  db: Queryable,
  userId: UserId,
  before: Preferences,
  { types = {} }: PreferencesChange,
): Promise<void> {
  for (const type of gatheredTypes) {
    const kept = new Set(before.types[type].mailboxIds);
    const ids = [...new Set(types[type]?.mailboxIds ?? [])].filter((id) => !kept.has(id));
    if (ids.length === 0) continue;
    const { count } = await db.one<{ count: number }>(sql`
      select count(*) as count
      from members m
      join mailboxes b on b.workspace_id = m.workspace_id and b.id = any(${ids}::uuid[])
      where m.user_id = ${userId} and m.removed_at is null`);
    if (count < ids.length) throw invalidRequest({ path: `body.types.${type}.mailboxIds`, key: 'not_a_mailbox' });
  }
}
