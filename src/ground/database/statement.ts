import type { Writable } from 'node:stream';
import pg from 'pg';
import type { SqlText } from './sql.ts';

/** A column's value in PostgreSQL's text format. */
type Field = string | null;
type ToRow = (fields: readonly Field[]) => object;

/** The result of a statement: its rows in wire shape, and PostgreSQL's command tag, such as `UPDATE 3`. */
export type SqlResult = { rows: object[]; tag: string };

/** A statement, with the promise callbacks of its caller. */
export type Asked = { statement: SqlText; resolve: (outcome: SqlResult) => void; reject: (error: unknown) => void };

/** Members of `pg`'s connection that its types omit, as of the release in `package.json`. */
export type Connection = {
  readonly stream: Writable;
  /**
   * Statements by name, as `pg` keeps them: statements that PostgreSQL has parsed, and statements that were sent to it.
   */
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
  _send(message: Buffer): boolean;
};

export type RowDescription = { fields: { name: string; dataTypeID: number }[] };
export type DataRow = { fields: Field[] };

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** Writes a Date as ISO text: `pg` writes it in the process's time zone, which takes several times as long. */
function toParameter(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : prepareValue(value);
}

// Keyed by statement name. The code bounds the number of names.
const known = new Map<string, ToRow>();
const noRow: ToRow = () => ({});

/**
 * A statement on its way. A connection asks for the description of its columns only once, and the process keeps it.
 * Otherwise PostgreSQL would write and `pg` would read the description with every result. For a row of forty columns
 * that costs more than the row itself.
 * On one connection, the columns of a prepared statement do not change: PostgreSQL refuses to run it if its result
 * would differ. On a new connection they may differ, after a migration by a newer release.
 */
export class Statement {
  readonly asked: Asked;
  readonly #rows: object[] = [];
  #toRow: ToRow = noRow;
  #fault: unknown;

  constructor(asked: Asked) {
    this.asked = asked;
  }

  send(connection: Connection): void {
    const { name, text, values } = this.asked.statement;
    const { parsedStatements, submittedNamedStatements } = connection;
    const isParsed =
      name !== '' && (parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined);
    if (!isParsed) connection.parse({ name, text });
    connection.bind({ statement: name, values, valueMapper: toParameter });
    if (!isParsed && name !== '') submittedNamedStatements[name] = text;
    const toRow = isParsed ? known.get(name) : undefined;
    if (toRow === undefined) connection.describe({ type: 'P', name: '' });
    else this.#toRow = toRow;
    connection.execute({});
  }

  takeColumns({ fields }: RowDescription): void {
    this.#toRow = toRowOf(fields);
    this.#keep();
  }

  takeRow({ fields }: DataRow): void {
    try {
      this.#rows.push(this.#toRow(fields));
    } catch (error) {
      this.#fault ??= error;
    }
  }

  complete(tag: string): void {
    // PostgreSQL sends no description for a statement without rows.
    if (!known.has(this.asked.statement.name)) this.#keep();
    if (this.#fault === undefined) this.asked.resolve({ rows: this.#rows, tag });
    else this.asked.reject(this.#fault);
  }

  #keep(): void {
    const { name } = this.asked.statement;
    if (name !== '') known.set(name, this.#toRow);
  }
}

/** Fills a copy of an empty row: V8 reallocates an object again and again while members are added to it. */
function toRowOf(columns: RowDescription['fields']): ToRow {
  const named = columns.map(({ name, dataTypeID }) => ({ name, parse: pg.types.getTypeParser(dataTypeID) }));
  const empty: Record<string, unknown> = Object.fromEntries(named.map(({ name }) => [name, null]));
  return (fields) => {
    const row = { ...empty };
    for (const [index, { name, parse }] of named.entries()) {
      const field = fields[index] ?? null;
      row[name] = field === null ? null : parse(field);
    }
    return row;
  };
}

/** The number of rows that a statement touched, from its command tag. */
export function rowCountOf(tag: string): number {
  return Number(/\d{1,9}$/.exec(tag)?.[0] ?? 0);
}
