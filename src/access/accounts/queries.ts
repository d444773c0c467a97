import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { User } from './schema.ts';

/** A user and the password's hash, if any. */
export type Account = User & { passwordHash: string | null };

/** A user's columns under their wire names. The statement must name `users` as `u`. */
export const userColumns: Sql = sql`u.id, u.email, u.name, u.email_verified_at as "emailVerifiedAt",
  u.created_at as "createdAt"`;

/**
 * The language in which the service writes to a user: their choice, or else the language of their browser at the
 * last sign-in. The statement must name `users` as `u`.
 */
export const languageColumn: Sql = sql`case
  when split_part(coalesce(u.preferences->>'locale', u.language, 'en'), '-', 1) = 'de' then 'de' else 'en' end`;

export async function languageOf(db: Queryable, userId: UserId): Promise<Language> {
  const user = await db.maybe<{ language: Language }>(sql`
    select ${languageColumn} as language from users u where u.id = ${userId}`);
  return user?.language ?? 'en';
}

export function findAccount(db: Queryable, email: string): Promise<Account | undefined> {
  return db.maybe<Account>(sql`
    select ${userColumns}, u.password_hash as "passwordHash"
    from users u
    where u.email_key = ${caseKey(email)}`);
}

export function getAccount(db: Queryable, userId: UserId): Promise<Account> {
  return db.one<Account>(sql`
    select ${userColumns}, u.password_hash as "passwordHash"
    from users u
    where u.id = ${userId}`);
}

export function findUser(db: Queryable, userId: UserId): Promise<User | undefined> {
  return db.maybe<User>(sql`select ${userColumns} from users u where u.id = ${userId}`);
}

export function getUser(db: Queryable, userId: UserId): Promise<User> {
  return db.one<User>(sql`select ${userColumns} from users u where u.id = ${userId}`);
}

export async function isSessionOpen(db: Queryable, sessionId: string): Promise<boolean> {
  return (await db.maybe(sql`select 1 from sessions where id = ${sessionId} and ended_at is null`)) !== undefined;
}

export async function hasAccounts(db: Queryable): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(sql`select exists (select from users)`);
  return exists;
}
