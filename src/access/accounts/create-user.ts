import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { caseKey } from '../../ground/lib/text.ts';

export type CreateUser = {
  /** The id of an account that is moved here; a new one by default. */
  id?: string;
  email: string;
  name: string | null;
  /** Null: the user signs in only with an identity provider. */
  passwordHash: string | null;
  isVerified: boolean;
  language?: Language | null;
};

/**
 * Creates an account. Of two concurrent calls for one address the second waits for the commit of the first.
 * @returns undefined when the address is taken
 */
export async function createUser(tx: Tx, input: CreateUser): Promise<UserId | undefined> {
  const user = await tx.maybe<{ id: UserId }>(sql`
    insert into users (id, email, email_key, name, password_hash, email_verified_at, language, created_at)
    values (${input.id ?? tx.newId()}, ${input.email}, ${caseKey(input.email)}, ${input.name}, ${input.passwordHash},
      ${input.isVerified ? tx.now : null}, ${input.language ?? null}, ${tx.now})
    on conflict (email_key) do nothing
    returning id`);
  return user?.id;
}
