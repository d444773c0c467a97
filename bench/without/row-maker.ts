import pg from 'pg';
import type { ToRow } from '../../src/database/to-row.ts';

type Column = { name: string; dataTypeID: number };

/** A class of `pg` that its types omit. */
const { Result } = pg as unknown as {
  Result: new () => { addFields(columns: readonly Column[]): void; parseRow: ToRow };
};

export function toRowOf(columns: readonly Column[]): ToRow {
  const result = new Result();
  result.addFields(columns);
  return (fields) => result.parseRow(fields);
}
