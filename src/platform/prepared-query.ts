import pg from 'pg';
import type { SqlText } from './sql.ts';

type Connection = { describe(message: object): void };
type Columns = Record<'fields' | '_parsers' | '_prebuiltEmptyResultObject', unknown>;

/** What `pg`'s own class has beside its types, as of the release that `package.json` names. */
type Base = {
  name: string;
  _result: Columns;
  _accumulateRows: boolean;
  hasBeenParsed(connection: Connection): unknown;
  prepare(connection: Connection): void;
  handleRowDescription(message: object): void;
};

const Base = pg.Query as unknown as new (
  statement: SqlText,
  callback: (error: Error | undefined, result: pg.QueryResult) => void,
) => Base & pg.Submittable;

// The statements are the code's own, so their number is bounded by it.
const columnsOf = new Map<string, Columns>();
const silent = new WeakMap<Connection, Connection>();

/**
 * A statement whose columns are described once a connection, and kept once a process: PostgreSQL would write, and `pg` read, that
 * description with every answer, which for a row of forty columns costs more than the row. The columns of a statement that
 * was prepared on a connection do not change: PostgreSQL refuses to run one whose result would be another. On a new connection,
 * after a migration by a newer release, they may be others.
 */
class PreparedQuery extends Base {
  override prepare(connection: Connection): void {
    const columns = columnsOf.get(this.name);
    if (columns === undefined || !this.hasBeenParsed(connection)) {
      super.prepare(connection);
      return;
    }
    Object.assign(this._result, columns);
    this._accumulateRows = true;
    super.prepare(withoutDescribing(connection));
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    if (this.name !== '') columnsOf.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

function withoutDescribing(connection: Connection): Connection {
  let kept = silent.get(connection);
  if (kept === undefined) {
    kept = Object.create(connection, { describe: { value: () => {} } }) as Connection;
    silent.set(connection, kept);
  }
  return kept;
}

type Client = { query(query: pg.Submittable): unknown };

/** Runs a statement, prepared on its connection by its name where it has one. */
export function runQuery(client: Client, statement: SqlText): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(new PreparedQuery(statement, (error, result) => (error ? reject(error) : resolve(result))));
  });
}
