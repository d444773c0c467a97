import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databasePlace } from '../../../test/harness/database-place.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

const isRoot = process.getuid?.() === 0;
const log = { info: () => {}, warn: () => {} };
let scratch: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(databasePlace(), 'kontor-pg-'));
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
  ])('is recognised by the remaining %s, and no empty database is created', async (_what, path) => {
    const dataDir = await mkdtemp(join(scratch, 'lost-'));
    await mkdir(join(dataDir, 'postgres'));
    await mkdir(join(dataDir, path, '..'), { recursive: true });
    await writeFile(join(dataDir, path), 'x');
    await expect(start(dataDir)).rejects.toThrow(
      `There is no database in ${dataDir}/postgres/data, but there was one: mount its volume or restore a backup.`,
    );
    expect(await readdir(join(dataDir, 'postgres'))).toEqual([]);
  });

  test('is initialised again after an interrupted first start', async () => {
    const dataDir = await mkdtemp(join(scratch, 'cut-'));
    await mkdir(join(dataDir, 'blobs'));
    await writeFile(join(dataDir, 'auth-secret'), 'x');
    await start(dataDir);
  });
});

describe('a folder that cannot be used', () => {
  test('the error names a file where the database belongs', async () => {
    const dataDir = await mkdtemp(join(scratch, 'named-'));
    await writeFile(join(dataDir, 'postgres'), 'x');
    await expect(start(dataDir)).rejects.toThrow(`${dataDir}/postgres is in the way`);
  });

  test('the error names a file in place of the data folder', async () => {
    const path = join(scratch, 'file');
    await writeFile(path, '');
    const message = `The data folder ${path} cannot be created, because a file is in the way`;
    await expect(start(path)).rejects.toThrow(message);
    await expect(start(join(path, 'below'))).rejects.toThrow('because a file is in the way');
  });

  test('other content in place of the database is reported and kept', async () => {
    const dataDir = join(scratch, 'foreign');
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'mine.txt'), 'mine');
    await expect(start(dataDir)).rejects.toThrow('contains something other than a database of Kontor');
    expect(await readFile(join(dataDir, 'postgres', 'mine.txt'), 'utf8')).toBe('mine');
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.lock']);
  });

  test('the error names a database of another major version', async () => {
    const dataDir = join(scratch, 'older');
    await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n');
    await expect(start(dataDir)).rejects.toThrow(/is of PostgreSQL 17, but this Kontor brings 18: /);
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
