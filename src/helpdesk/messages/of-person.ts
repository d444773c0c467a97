import { type Sql, sql } from '../../ground/database/sql.ts';

/** Whether a person wrote the message. List mail counts, because mailing lists pass on what people write. */
export function isOfPerson({ automaticKind }: { automaticKind: string | null }): boolean {
  return automaticKind === null || automaticKind === 'list';
}

/** Whether message `m` is an automatic reply of ours. It answers nobody, and is nobody's work. */
export const isAutomaticReply: Sql = sql`(m.direction = 'outbound' and m.automatic_kind is not null)`;

/** `isOfPerson` as a condition on message `m`. */
export const messageIsOfPerson: Sql = sql`(m.automatic_kind is null or m.automatic_kind = 'list')`;
