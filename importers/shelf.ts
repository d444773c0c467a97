import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Lists of records by key, in a temporary file: a help desk has more text than memory holds. Only their places are in
 * memory.
 */
export type Shelf<Item> = Disposable & {
  add(key: string, item: Item): void;
  /** The records of the key, in the order in which they were added. */
  list(key: string): Item[];
};

/** Many records share a write. */
const pendingBytesMax = 1024 ** 2;

export function openShelf<Item extends object>(): Shelf<Item> {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-importer-'));
  const file = openSync(join(folder, 'records'), 'wx+', 0o600);
  // Begin and length of each record, one after the other.
  const places = new Map<string, number[]>();
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let end = 0;
  const flush = () => {
    const bytes = Buffer.concat(pending);
    for (let written = 0; written < bytes.length; )
      written += writeSync(file, bytes, written, bytes.length - written, end - bytes.length + written);
    pending = [];
    pendingBytes = 0;
  };
  return {
    add: (key, item) => {
      const bytes = Buffer.from(JSON.stringify(item));
      const known = places.get(key);
      if (known === undefined) places.set(key, [end, bytes.length]);
      else known.push(end, bytes.length);
      pending.push(bytes);
      pendingBytes += bytes.length;
      end += bytes.length;
      if (pendingBytes > pendingBytesMax) flush();
    },
    list: (key) => {
      if (pendingBytes > 0) flush();
      const items: Item[] = [];
      const at = places.get(key) ?? [];
      for (let next = 0; next < at.length; next += 2) items.push(readItem(file, at[next] ?? 0, at[next + 1] ?? 0));
      return items;
    },
    [Symbol.dispose]: () => {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readItem<Item>(file: number, begin: number, length: number): Item {
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length; ) {
    const more = readSync(file, bytes, read, length - read, begin + read);
    if (more === 0) throw new Error('The temporary file of the importer was cut.');
    read += more;
  }
  return JSON.parse(bytes.toString()) as Item; // `add` wrote it
}
