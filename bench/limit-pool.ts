import pg from 'pg';

/** As many connections as the load has, so that no request waits for a connection. */
export const connectionCount = 16;

/** A pool without parsing: all values stay the text that PostgreSQL sends. */
export function openLimitPool(databaseUrl: string): pg.Pool {
  return new pg.Pool({
    connectionString: databaseUrl,
    max: connectionCount,
    idleTimeoutMillis: 0,
    types: {
      getTypeParser: (id: number, format?: 'text' | 'binary') =>
        id === pg.types.builtins.TIMESTAMPTZ ? (text: string) => text : pg.types.getTypeParser(id, format as 'text'),
    },
  });
}
