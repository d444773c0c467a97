import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

type FolderLock = { release(): void };

/** Result codes of SQLite: https://www.sqlite.org/rescode.html */
const busyCode = 5;
const cannotOpenCode = 14;
const waitMillisecondsMax = 2_000;

/**
 * Locks a folder by a file in it until this process ends or calls `release`.
 *
 * Node has no file locks, but its built-in SQLite does: an exclusive transaction on an empty file takes a byte-range
 * lock of the operating system. This lock has four advantages:
 * - It ends with its process, however the process ends.
 * - Child processes do not inherit it.
 * - It needs no process id, which another process could get later.
 * - It works between containers that share the folder.
 * The file stays empty. Nothing else in this process may open the file: POSIX drops such a lock when any handle of the
 * file is closed.
 * @returns `held` when another process still has the lock after 2 s; `unsupported` if the file system has no locks
 * Throws the system's error (EACCES, EROFS, ENOTDIR, …) when the lock file cannot be created.
 */
export async function lockFolder(folder: string, file: string): Promise<FolderLock | 'held' | 'unsupported'> {
  const path = join(folder, file);
  const deadline = performance.now() + waitMillisecondsMax;
  for (;;) {
    const outcome = tryLock(path);
    if (outcome === 'unopened') {
      // SQLite hides the cause. Opening the file directly throws the system's error.
      await (await open(path, 'a', 0o600)).close();
      return 'unsupported';
    }
    if (outcome !== 'held' || performance.now() > deadline) return outcome;
    await sleep(50);
  }
}

function tryLock(path: string): FolderLock | 'held' | 'unsupported' | 'unopened' {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // Keeps the journal in memory, so that no second file appears.
    database.exec('pragma journal_mode = memory; begin exclusive');
    const locked = database;
    return { release: () => locked.isOpen && locked.close() };
  } catch (error) {
    database?.close();
    // node:sqlite reports the result code as `errcode`. Extended codes have the primary code in their low byte.
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    if (code === busyCode) return 'held';
    return code === cannotOpenCode || database === undefined ? 'unopened' : 'unsupported';
  }
}
