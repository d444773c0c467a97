import pg from 'pg';
import { type Asked, type Connection, type DataRow, type RowDescription, Statement } from './statement.ts';

type Arrival = {
  /** Of the first that failed; who waited for it knows. */
  error: unknown;
  /** Those behind it, which PostgreSQL passed over. */
  left: Asked[];
  /** Whether the connection is not to be used again. */
  isBroken: boolean;
};

/**
 * Runs statements in their order as one round trip.
 * @param timeoutMs how long to wait for the answers before the connection is given up; left out: the pool's default
 */
export function travel(
  client: pg.ClientBase,
  { asked, timeoutMs, onArrival }: { asked: readonly Asked[]; timeoutMs?: number | undefined; onArrival: OnArrival },
): void {
  // The types of a connection are less than what it is.
  client.query(new Trip(asked, timeoutMs, onArrival) as unknown as pg.Submittable);
}

type OnArrival = (arrival: Arrival) => void;

/** Only a refusal of one statement is not the end of the connection: PostgreSQL's classes 57P and 25P03 are, and what is no answer of its. */
function isEnd(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P|25P03)/.test(error.code ?? '');
}

/** What `pg`'s own class of queries has beside its types. */
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
 * Statements that end with one `Sync` for all, so that they go there as one write, and their answers come back as one; where no
 * transaction is open they are one of PostgreSQL's own. Behind one that fails it passes over the others.
 */
class Trip extends Query {
  #going: Statement[];
  #left: Asked[] = [];
  #fault: unknown;
  /** `pg` reads this field. */
  readonly query_timeout: number | undefined;

  constructor(asked: readonly Asked[], timeoutMs: number | undefined, onArrival: OnArrival) {
    super('', (error) => {
      const fault = error ?? this.#fault;
      onArrival({ error: fault, left: this.#left, isBroken: error !== undefined && isEnd(error) });
    });
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
        // A value that cannot be written: as if PostgreSQL had refused it, so that no commit goes on without it.
        messages.length = before;
        statement.asked.reject(error);
        this.#fault = error;
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
      // What is no answer of PostgreSQL's is the end of the connection, for all of them.
      if (!(error instanceof pg.DatabaseError)) asked.reject(error);
    }
    if (error instanceof pg.DatabaseError) this.#left.unshift(...behind.map(({ asked }) => asked));
    this.callback(error);
  }

  override handleReadyForQuery(): void {
    this.callback();
  }

  /** `pg` takes what PostgreSQL says that it has parsed for the statement of the query that it knows. */
  #takeName(): void {
    const next = this.#going[0]?.asked.statement;
    this.name = next?.name ?? '';
    this.text = next?.text ?? '';
  }
}

type Collecting = { collector: Connection; messages: Buffer[] };
const collecting = new WeakMap<Connection, Collecting>();

/** The connection as it gathers messages instead of sending each. */
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
