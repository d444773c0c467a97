import { invalidRequest } from './errors.ts';
import { isUuid } from './ids.ts';

/** Opaque page cursors: base64url of JSON. Clients can forge them, so each list checks the decoded value. */
export function encodeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @returns undefined when the text does not decode to JSON */
export function decodeCursor(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** `nextCursor` is missing on the last page. */
export type Page<Item> = { items: Item[]; nextCursor?: string };

/** A page of a list in order of id. The query reads `limit + 1` rows: the extra row shows that another page follows. */
export function pageOf<Item>(rows: Item[], limit: number, idOf: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined
    ? { items, nextCursor: encodeCursor({ id: idOf(last) }) }
    : { items };
}

/** The id in a cursor of `pageOf`. Throws 400 `request.invalid` for any other text. */
export function readIdCursor(cursor: string): string {
  const position = decodeCursor(cursor) as { id?: unknown } | null | undefined;
  if (typeof position?.id === 'string' && isUuid(position.id)) return position.id;
  throw badCursor();
}

/** Whether a cursor's value is an instant in `toISOString` form, in the years 1000 to 9999, which PostgreSQL reads. */
export function isCursorTime(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[1-9]\d{3}-/.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

export function badCursor(parameter = 'cursor') {
  return invalidRequest({ path: `query.${parameter}`, key: 'bad_cursor' });
}
