import { type Sql, sql } from '../database/sql.ts';

/** Whether a person wrote a message: mailing lists pass on what people write. */
export function isOfPerson({ automaticKind }: { automaticKind: string | null }): boolean {
  return automaticKind === null || automaticKind === 'list';
}

/** The same as a condition on message `m`. */
export const messageIsOfPerson: Sql = sql`(m.automatic_kind is null or m.automatic_kind = 'list')`;
