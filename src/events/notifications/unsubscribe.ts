import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { isUnsubscribeToken, userOfToken } from './unsubscribe-token.ts';

/** The user whose mails a token stops; undefined for an invalid token. */
export async function findUnsubscribing(db: Queryable, token: string): Promise<UserId | undefined> {
  const userId = userOfToken(token);
  if (userId === undefined) return undefined;
  const account = await db.maybe<{ key: Buffer }>(sql`
    select unsubscribe_key as key from notification_preferences where user_id = ${userId}`);
  return account !== undefined && isUnsubscribeToken(token, userId, account.key) ? userId : undefined;
}

/** Stops digests for the user whom the token names. @returns whether the token is valid */
export async function unsubscribe(tx: Tx, token: string): Promise<boolean> {
  const userId = await findUnsubscribing(tx, token);
  if (userId === undefined) return false;
  await tx.run(sql`
    update notification_preferences set digest = 'off', updated_at = ${tx.now} where user_id = ${userId}`);
  return true;
}
