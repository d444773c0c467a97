import pg from 'pg';

/** A column's value as PostgreSQL writes it. */
export type Field = string | null;
export type ToRow = (fields: Field[]) => object;

type Column = { name: string; dataTypeID: number };
type Parser = (text: string) => unknown;

// By what the columns are: the statements are the code's own, so their number is bounded by it.
const made = new Map<string, ToRow>();

/**
 * What makes an object of a row, written for these columns as one would write it by hand. `pg` sets the members one by one under
 * names that it looks up, and has a function return text as it is: for a page of tickets that took longer than all else.
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
