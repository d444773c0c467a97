import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

export type Field = string | number | boolean | null;

const chunkCharacters = 64 * 1024;

/** The COPY messages that `pg` passes on, but does not declare in its types. */
type CopyConnection = {
  stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
};

/** Writes rows by `COPY … FROM STDIN`. Follows the server's pace, and holds at most one chunk. */
export function copyInto(
  client: pg.Client,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly Field[]>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let fault: Error | undefined;
    const feed = async (connection: CopyConnection): Promise<void> => {
      try {
        for (const chunk of chunksOf(rows)) {
          if (fault !== undefined) return;
          connection.sendCopyFromChunk(chunk);
          if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
        }
        connection.endCopyFrom();
      } catch (error) {
        fault ??= error as Error;
        connection.sendCopyFail('the rows could not be made');
      }
    };
    client.query({
      submit: (connection) => (connection as unknown as CopyConnection).query(`copy ${table} (${columns}) from stdin`),
      handleCopyInResponse: (connection: CopyConnection) => void feed(connection),
      handleError: (error: Error) => {
        fault ??= error;
      },
      handleCommandComplete: () => {},
      handleReadyForQuery: () => (fault === undefined ? resolve() : reject(fault)),
    } as pg.Submittable);
  });
}

function* chunksOf(rows: Iterable<readonly Field[]>): Generator<Buffer> {
  let text = '';
  for (const row of rows) {
    text += `${row.map(fieldText).join('\t')}\n`;
    if (text.length < chunkCharacters) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function fieldText(field: Field): string {
  if (field === null) return '\\N';
  return typeof field === 'string'
    ? field.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '')
    : String(field);
}
