/** Records as rows for `json_populate_recordset`, whose keys are names of columns. */

export function rowsOf(records: readonly object[]): string {
  return JSON.stringify(records.map(rowOf));
}

export function rowOf(record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [columnOf(key), value]));
}

const columns = new Map<string, string>();

function columnOf(key: string): string {
  let column = columns.get(key);
  if (column === undefined) {
    column = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columns.set(key, column);
  }
  return column;
}
