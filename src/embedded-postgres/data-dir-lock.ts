import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

type DataDirLock = { release(): void };

/** Result codes of SQLite: https://www.sqlite.org/rescode.html */
const busyCode = 5;
const cannotOpenCode = 14;
const waitMillisecondsMax = 2_000;

/**
 * Takes the one lock of a data folder, for as long as this process lives or until `release`.
 *
 * Node offers no file lock of its own. SQLite, which it carries, does: an exclusive transaction on an empty file is the
 * operating system's byte-range lock. It dies with its process, however that ends; it is not inherited by children; no
 * process id is written that another process could be given later; and it holds between containers that share the folder.
 * Nothing is ever written into the file. Nobody else may open it in this process: POSIX drops such a lock when any handle
 * of its file is closed.
 * @returns `held` when someone else still has it after 2 s; `unsupported` where the file system has no locks
 * Throws the system's error (EACCES, EROFS, ENOTDIR, …) when the lock file cannot be made.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock | 'held' | 'unsupported'> {
  const path = join(dataDir, 'postgres.lock');
  const deadline = performance.now() + waitMillisecondsMax;
  for (;;) {
    const outcome = tryLock(path);
    if (outcome === 'unopened') {
      // SQLite does not tell why; the system does.
      await (await open(path, 'a', 0o600)).close();
      return 'unsupported';
    }
    if (outcome !== 'held' || performance.now() > deadline) return outcome;
    await sleep(50);
  }
}

function tryLock(path: string): DataDirLock | 'held' | 'unsupported' | 'unopened' {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // Without a journal file beside it.
    database.exec('pragma journal_mode = memory; begin exclusive');
    const locked = database;
    return { release: () => locked.isOpen && locked.close() };
  } catch (error) {
    database?.close();
    // node:sqlite puts the result code here; extended codes keep the plain one in their low byte.
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    if (code === busyCode) return 'held';
    return code === cannotOpenCode || database === undefined ? 'unopened' : 'unsupported';
  }
}
