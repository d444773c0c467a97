import pg from 'pg';
import type { SqlText } from './sql.ts';
import {
  type Asked,
  type Connection,
  type DataRow,
  type RowDescription,
  type SqlResult,
  Statement,
} from './statement.ts';

type Arrival = {
  /** The statements after the failed statement, which PostgreSQL skipped. */
  left: Asked[];
  /** Whether the connection must not be used again. */
  isBroken: boolean;
};

/**
 * Runs statements in order as one round trip.
 * @param timeoutMs how long to wait for the results before giving up the connection; default: that of the pool
 */
export function travel(
  client: pg.ClientBase,
  { asked, timeoutMs, onArrival }: { asked: readonly Asked[]; timeoutMs?: number | undefined; onArrival: OnArrival },
): void {
  // The cast is needed because pg's types do not fully describe a connection.
  client.query(new Trip(asked, timeoutMs, onArrival) as unknown as pg.Submittable);
}

type OnArrival = (arrival: Arrival) => void;

/** Runs a statement as a round trip of its own. Statements of one connection run in the order of these calls. */
export function runOn(
  client: pg.ClientBase,
  statement: SqlText,
  timeoutMs: number | undefined,
  onArrival: (isBroken: boolean) => void = () => {},
): Promise<SqlResult> {
  return new Promise((resolve, reject) => {
    travel(client, {
      asked: [{ statement, resolve, reject }],
      timeoutMs,
      onArrival: ({ isBroken }) => onArrival(isBroken),
    });
  });
}

/**
 * Whether an error ends the connection. Errors that did not come from PostgreSQL do, and so do SQLSTATE 57P and 25P03.
 * A refused statement does not.
 */
function isEnd(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P|25P03)/.test(error.code ?? '');
}

/** Members of `pg`'s `Query` that its types omit. */
type Query = {
  name: string;
  text: string;
  callback(error?: Error): void;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: RowDescription): void;
  handleDataRow(message: DataRow): void;
  handleCommandComplete(message: { text: string }): void;
  handleEmptyQuery(): void;
  handleError(error: Error, connection: Connection): void;
  handleReadyForQuery(): void;
};

const Query = pg.Query as unknown as new (text: string, callback: (error: Error | undefined) => void) => Query;

/**
 * Statements that share one `Sync`, so that a single write sends them and their results come back together. Outside a
 * transaction, PostgreSQL runs them as one implicit transaction. After a failed statement, PostgreSQL skips the rest.
 */
class Trip extends Query {
  #going: Statement[];
  #left: Asked[] = [];
  /** `pg` reads this field. */
  readonly query_timeout: number | undefined;

  constructor(asked: readonly Asked[], timeoutMs: number | undefined, onArrival: OnArrival) {
    super('', (error) => onArrival({ left: this.#left, isBroken: error !== undefined && isEnd(error) }));
    this.query_timeout = timeoutMs;
    this.#going = asked.map((each) => new Statement(each));
  }

  override submit(connection: Connection): null {
    const { collector, messages } = collectorOf(connection);
    for (const [index, statement] of this.#going.entries()) {
      const before = messages.length;
      try {
        statement.send(collector);
      } catch (error) {
        // A value cannot be serialised. Treat this as a refusal by PostgreSQL, which skips the statements after it.
        messages.length = before;
        statement.asked.reject(error);
        this.#left = this.#going
          .splice(index)
          .slice(1)
          .map(({ asked }) => asked);
        break;
      }
    }
    this.#takeName();
    collector.sync();
    connection._send(Buffer.concat(messages.splice(0)));
    return null;
  }

  override handleRowDescription(message: RowDescription): void {
    this.#going[0]?.takeColumns(message);
  }

  override handleDataRow(message: DataRow): void {
    this.#going[0]?.takeRow(message);
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.#going.shift()?.complete(text);
    this.#takeName();
  }

  override handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  override handleError(error: Error, connection: Connection): void {
    const [failed, ...behind] = this.#going.splice(0);
    failed?.asked.reject(error);
    for (const { asked } of behind) {
      delete connection.submittedNamedStatements[asked.statement.name];
      // Any other error ends the connection, so it fails all statements.
      if (!(error instanceof pg.DatabaseError)) asked.reject(error);
    }
    if (error instanceof pg.DatabaseError) this.#left.unshift(...behind.map(({ asked }) => asked));
    this.callback(error);
  }

  override handleReadyForQuery(): void {
    this.callback();
  }

  /** `pg` reads `name` and `text` of its current query when PostgreSQL reports a parsed statement. */
  #takeName(): void {
    const next = this.#going[0]?.asked.statement;
    this.name = next?.name ?? '';
    this.text = next?.text ?? '';
  }
}

type Collecting = { collector: Connection; messages: Buffer[] };
const collecting = new WeakMap<Connection, Collecting>();

/** A view of the connection that collects messages instead of sending each of them. */
function collectorOf(connection: Connection): Collecting {
  let known = collecting.get(connection);
  if (known === undefined) {
    const messages: Buffer[] = [];
    const send = (message: Buffer): boolean => messages.push(message) > 0;
    known = { collector: Object.create(connection, { _send: { value: send } }) as Connection, messages };
    collecting.set(connection, known);
  }
  return known;
}
