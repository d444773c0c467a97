import { type Sql, sql } from '../../ground/database/sql.ts';

/** Whether a person wrote the message. List mail counts, because mailing lists pass on what people write. */
export function isOfPerson({ automaticKind }: { automaticKind: string | null }): boolean {
  return automaticKind === null || automaticKind === 'list';
}

/** `isOfPerson` as a condition on message `m`. */
export const messageIsOfPerson: Sql = sql`(m.automatic_kind is null or m.automatic_kind = 'list')`;
