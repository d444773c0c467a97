import { defaults } from '../catalog/tables/table.ts';
import {
  forgottenOf,
  importedOf,
  redactedOf,
  replacedOf,
  scrubbedOf,
  shownOf,
  type TableName,
  tables,
  wireName,
} from '../catalog/tables/tables.ts';
import { Sql } from './sql.ts';

/**
 * Parts of statements that are made from the description of a table. The walks over the statements of the source call
 * these functions too (`test/walks/sql-reader.ts`), so each argument is a literal, or a parameter with a type of
 * literals.
 */

/** The columns that the API shows of a row, under their wire names: `t.mailbox_id as "mailboxId", …`. */
export function shownColumns(table: TableName, row: string): Sql {
  return partOf(`shown ${table} ${row}`, () => shownOf(table).map((name) => `${row}.${name} as "${wireName(name)}"`));
}

/** The columns that an import writes: `id, tags, …`. */
export function importedColumns(table: TableName): Sql {
  return partOf(`columns ${table}`, () => importedOf(table));
}

/** Their values in a row that an import reads: `r.id, coalesce(r.tags, '{}'), …`. */
export function importedValues(table: TableName, row: string): Sql {
  return partOf(`values ${table} ${row}`, () => importedOf(table).map((name) => valueIn(table, name, row)));
}

/** `subject = r.subject, …` for the columns that a later import of a record replaces. */
export function replacedColumns(table: TableName, row: string): Sql {
  const replacing = (name: string) => `${name} = ${valueIn(table, name, row)}`;
  return partOf(`replaced ${table} ${row}`, () => replacedOf(table).map(replacing));
}

export function tableNamed(table: TableName): Sql {
  return partOf(`table ${table}`, () => [table]);
}

/** The texts from which an erasure takes a person, as one value: `json_build_object('subject', r.subject, …)`. */
export function scrubbedTexts(table: TableName, row: string): Sql {
  const pairs = () => [...scrubbedOf(table).keys()].flatMap((name) => [`'${name}'`, `${row}.${name}`]);
  return partOf(`texts ${table} ${row}`, () => [`json_build_object(${pairs().join(', ')})`]);
}

/** The same texts as one text, to search in it. */
export function searchedTexts(table: TableName, row: string): Sql {
  const texts = () =>
    [...scrubbedOf(table)].map(([name, kind]) =>
      kind === 'addresses' ? `array_to_string(${row}.${name}, ' ')` : `${row}.${name}`,
    );
  return partOf(`searched ${table} ${row}`, () => [`concat_ws(' ', ${texts().join(', ')})`]);
}

/** `subject = r.subject, …` for these texts. */
export function scrubbedColumns(table: TableName, row: string): Sql {
  return partOf(`scrubbed ${table} ${row}`, () =>
    [...scrubbedOf(table).keys()].map((name) => `${name} = ${row}.${name}`),
  );
}

/** `note = null, envelope_to = '{}', …` for the texts that an erasure forgets. */
export function forgottenTexts(table: TableName): Sql {
  const nothing = (name: string) => defaultOf(table, name) ?? 'null';
  return partOf(`forgotten ${table}`, () => forgottenOf(table).map((name) => `${name} = ${nothing(name)}`));
}

/** `subject = null, body = '', …` for the texts that a redaction takes away. */
export function redactedTexts(table: TableName): Sql {
  const nothing = (name: string) => (tables[table].columns[name]?.isNeverNull === true ? "''" : 'null');
  return partOf(`redacted ${table}`, () => redactedOf(table).map((name) => `${name} = ${nothing(name)}`));
}

function valueIn(table: TableName, name: string, row: string): string {
  const byDefault = defaultOf(table, name);
  return byDefault === undefined ? `${row}.${name}` : `coalesce(${row}.${name}, ${byDefault})`;
}

function defaultOf(table: TableName, name: string): string | undefined {
  return defaults[tables[table].columns[name]?.type ?? 'text'];
}

const parts = new Map<string, Sql>();

/** Returns the same part each time, because `toText` recognises a text by the identity of its strings. */
export function partOf(key: string, make: () => string[]): Sql {
  let part = parts.get(key);
  if (part === undefined) {
    part = new Sql([make().join(', ')], []);
    parts.set(key, part);
  }
  return part;
}
