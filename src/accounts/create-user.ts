import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';

export type CreateUser = {
  email: string;
  name: string | null;
  /** Null: signs in with an identity provider alone. */
  passwordHash: string | null;
  isVerified: boolean;
};

/**
 * Makes an account.
 * @returns undefined when the address is taken: of two at once the second waits for the first one's commit, and finds it so
 */
export async function createUser(tx: Tx, input: CreateUser): Promise<UserId | undefined> {
  const user = await tx.maybe<{ id: UserId }>(sql`
    insert into users (id, email, email_key, name, password_hash, email_verified_at, created_at)
    values (${tx.newId()}, ${input.email}, ${caseKey(input.email)}, ${input.name}, ${input.passwordHash},
      ${input.isVerified ? tx.now : null}, ${tx.now})
    on conflict (email_key) do nothing
    returning id`);
  return user?.id;
}
