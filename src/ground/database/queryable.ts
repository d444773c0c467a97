import type { Queryable } from './db.ts';
import { type Manner, type Sql, type SqlText, toText } from './sql.ts';
import type { SqlResult } from './statement.ts';

type Run = (statement: SqlText, manner: Manner) => Promise<SqlResult>;

export function queryable(run: Run): Queryable {
  const rows = async <Row>(query: Sql): Promise<Row[]> => (await run(toText(query), query.manner)).rows as Row[];
  return {
    rows,
    maybe: async <Row>(query: Sql) => (await rows<Row>(query))[0],
    one: async <Row>(query: Sql) => {
      const [row] = await rows<Row>(query);
      if (row === undefined) throw new Error(`expected a row: ${toText(query).text.trim().slice(0, 200)}`);
      return row;
    },
  };
}
