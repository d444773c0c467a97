import { randomBytes } from 'node:crypto';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { type Preferences, type PreferencesChange, perType } from './preference-schema.ts';

/** Preferences of a user who has chosen nothing. Customers answer often, so those answers wait in the app. */
export const defaults: Preferences = {
  digest: 'at_once',
  types: perType((type) => ({ inApp: true, email: type !== 'reply' })),
};

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
  const after: Preferences = {
    digest: change.digest ?? before.digest,
    types: perType((type) => ({ ...before.types[type], ...change.types?.[type] })),
  };
  await tx.run(sql`
    update notification_preferences
    set digest = ${after.digest}, types = ${JSON.stringify(after.types)}, updated_at = ${tx.now}
    where user_id = ${userId}`);
  return after;
}
