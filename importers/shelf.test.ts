import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openShelf } from './shelf.ts';

test('records come back by their key and in their order, and nothing stays on the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-shelf-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  {
    using shelf = openShelf<{ at: number; text: string }>();
    // Some megabytes, and texts whose bytes are not their characters.
    const record = (at: number) => ({ at, text: `Grüße 𝄞 ${at} ${'ö'.repeat(at * 3)}` });
    for (let at = 0; at < 1_000; at++) {
      shelf.add(`key ${at % 7}`, record(at));
      if (at % 250 === 0) expect(shelf.list(`key ${at % 7}`).at(-1)).toEqual(record(at));
    }
    for (let key = 0; key < 7; key++) {
      const expected = Array.from({ length: 1_000 }, (_, at) => at).filter((at) => at % 7 === key);
      expect(shelf.list(`key ${key}`)).toEqual(expected.map(record));
    }
    expect(shelf.list('another')).toEqual([]);
  }
  expect(readdirSync(folder)).toEqual([]);
});
