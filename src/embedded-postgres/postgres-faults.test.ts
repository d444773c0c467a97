import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

const isRoot = process.getuid?.() === 0;
const log = { info: () => {}, warn: () => {} };
let scratch: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'kontor-pg-'));
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  await rm(scratch, { recursive: true, force: true });
});

async function start(dataDir: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, log, fast: true });
  cleanups.push(() => postgres.stop());
}

describe('a folder that has lost its database', () => {
  test.each([
    ['files', 'blobs/0190/ab/abcd'],
    ['a log', 'postgres.log'],
  ])('is told by %s that are still there, and no empty one is made', async (_what, path) => {
    const dataDir = await mkdtemp(join(scratch, 'lost-'));
    await mkdir(join(dataDir, 'postgres'));
    await mkdir(join(dataDir, path, '..'), { recursive: true });
    await writeFile(join(dataDir, path), 'x');
    await expect(start(dataDir)).rejects.toThrow(
      `There is no database in ${dataDir}/postgres/data, but there was one: mount its volume or restore a backup.`,
    );
    expect(await readdir(join(dataDir, 'postgres'))).toEqual([]);
  });

  test('is begun anew where a first start was cut off', async () => {
    const dataDir = await mkdtemp(join(scratch, 'cut-'));
    await mkdir(join(dataDir, 'blobs'));
    await writeFile(join(dataDir, 'auth-secret'), 'x');
    await start(dataDir);
  });
});

describe('a folder that cannot be used', () => {
  test('a file where the database belongs is named', async () => {
    const dataDir = await mkdtemp(join(scratch, 'named-'));
    await writeFile(join(dataDir, 'postgres'), 'x');
    await expect(start(dataDir)).rejects.toThrow(`${dataDir}/postgres is in the way`);
  });

  test('a file in the way is told', async () => {
    const path = join(scratch, 'file');
    await writeFile(path, '');
    await expect(start(path)).rejects.toThrow(`The data folder ${path} cannot be made, because a file is in the way`);
    await expect(start(join(path, 'below'))).rejects.toThrow('because a file is in the way');
  });

  test('something else in the place of the database is told, and kept', async () => {
    const dataDir = join(scratch, 'foreign');
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'mine.txt'), 'mine');
    await expect(start(dataDir)).rejects.toThrow('holds something that is no database of Kontor');
    expect(await readFile(join(dataDir, 'postgres', 'mine.txt'), 'utf8')).toBe('mine');
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.lock']);
  });

  test('a database of another major version is told', async () => {
    const dataDir = join(scratch, 'older');
    await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n');
    await expect(start(dataDir)).rejects.toThrow(/is of PostgreSQL 17, this Kontor brings 18: /);
  });

  test.skipIf(isRoot)('a folder without write permission is told (permission bits do not bind root)', async () => {
    const dataDir = join(scratch, 'closed');
    await mkdir(dataDir);
    await chmod(dataDir, 0o555);
    await expect(start(dataDir)).rejects.toThrow('cannot be read and written by this user');
  });

  test.skipIf(!isRoot)('a full disk and a read-only one are told (mounting them needs root)', async ({ skip }) => {
    const disk = join(scratch, 'disk');
    await mkdir(disk);
    const run = promisify(execFile);
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk]).catch(() => undefined);
    if (mounted === undefined) return skip('this machine lets nobody mount a disk');
    cleanups.push(() => run('umount', [disk]));
    await expect(start(disk)).rejects.toThrow(`The disk of the data folder ${disk} is full: `);
    expect(await readdir(disk)).toEqual(['postgres.lock']);
    await run('mount', ['-o', 'remount,ro', disk]);
    await expect(start(disk)).rejects.toThrow(`The data folder ${disk} is on a read-only file system`);
  });
});
