import pg from 'pg';

/** A column's value in PostgreSQL's text format. */
export type Field = string | null;
export type ToRow = (fields: Field[]) => object;

type Column = { name: string; dataTypeID: number };
type Parser = (text: string) => unknown;

// Keyed by the columns. The code bounds the number of statements, and so of keys.
const made = new Map<string, ToRow>();

/**
 * Generates a function that turns a row of these columns into an object, as if written by hand. `pg` looks up each
 * name, sets members one by one and calls a function even for text. For a page of tickets that took longer than all
 * other work.
 */
export function toRowOf(columns: readonly Column[], parsers: readonly Parser[]): ToRow {
  const key = columns.map(({ name, dataTypeID }) => `${dataTypeID} ${name}`).join('\n');
  let toRow = made.get(key);
  if (toRow === undefined) {
    const asText = pg.types.getTypeParser(pg.types.builtins.TEXT);
    const members = columns.map(({ name }, index) => {
      const field = `fields[${index}]`;
      const value = parsers[index] === asText ? field : `${field} === null ? null : parsers[${index}](${field})`;
      return `${JSON.stringify(name)}: ${value}`;
    });
    toRow = new Function('parsers', `return (fields) => ({ ${members.join(', ')} });`)(parsers) as ToRow;
    made.set(key, toRow);
  }
  return toRow;
}
