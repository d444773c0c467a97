import type { Writable } from 'node:stream';
import pg from 'pg';
import type { SqlText } from './sql.ts';
import { type Field, type ToRow, toRowOf } from './to-row.ts';

/** What a statement brought: its rows in wire shape, and PostgreSQL's command tag, as `UPDATE 3`. */
export type Outcome = { rows: object[]; tag: string };

/** A statement, and who waits for it. */
export type Asked = { statement: SqlText; resolve: (outcome: Outcome) => void; reject: (error: unknown) => void };

/** What `pg`'s connection has beside its types, as of the release that `package.json` names. */
export type Connection = {
  readonly stream: Writable;
  /** By their names, as `pg` keeps them: those that PostgreSQL has parsed, and those that it was sent. */
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

/** An instant as its own text: `pg` writes it in the process's time zone, which takes several times as long. */
function toParameter(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : prepareValue(value);
}

// By the names of the statements, which are the code's own, so that their number is bounded by it.
const known = new Map<string, ToRow>();
const noRow: ToRow = () => ({});

/**
 * A statement on its way. Its columns are described once a connection, and kept once a process: PostgreSQL would write, and
 * `pg` read, that description with every answer, which for a row of forty columns costs more than the row. The columns of a
 * statement that was prepared on a connection do not change: PostgreSQL refuses to run one whose result would be another. On a
 * new connection, after a migration by a newer release, they may be others.
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
    const parsers = fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID));
    this.#toRow = toRowOf(fields, parsers);
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
    // One without rows is described by nothing.
    if (!known.has(this.asked.statement.name)) this.#keep();
    if (this.#fault === undefined) this.asked.resolve({ rows: this.#rows, tag });
    else this.asked.reject(this.#fault);
  }

  #keep(): void {
    const { name } = this.asked.statement;
    if (name !== '') known.set(name, this.#toRow);
  }
}

/** How many rows a statement touched, by its command tag. */
export function rowCountOf(tag: string): number {
  return Number(/\d+$/.exec(tag)?.[0] ?? 0);
}
