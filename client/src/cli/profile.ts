import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, SessionStore } from '../index.ts';
import { SignedOutError, UsageError } from './faults.ts';
import { typed } from './program.ts';

/** A place at which somebody has signed in, by a session or an API key. */
export type Profile = { url: string; workspaceId: string; session?: Session; key?: string };

function configFolder({ KONTOR_CONFIG, XDG_CONFIG_HOME, APPDATA }: NodeJS.ProcessEnv): string {
  if (KONTOR_CONFIG) return KONTOR_CONFIG;
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'kontor');
  return process.platform === 'win32' && APPDATA ? join(APPDATA, 'kontor') : join(homedir(), '.config', 'kontor');
}

/** The file of a profile, which only its owner may read. */
export function profileFile(name: string, environment: NodeJS.ProcessEnv = process.env): string {
  if (!/^[\w.-]+$/.test(name)) throw new UsageError(`"${name}" is no name of a profile: use letters and digits.`);
  return join(configFolder(environment), `${name}.json`);
}

export async function readProfile(file: string): Promise<Profile | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Profile; // only this program writes it
  } catch {
    throw new SignedOutError(`${file} is damaged: sign in again with "${typed('login')}".`);
  }
}

/** Replaces the file at once, so that a crash leaves the old file or the new file. */
export async function writeProfile(file: string, profile: Profile): Promise<void> {
  const folder = join(file, '..');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

export async function removeProfile(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** The session of a profile. Commands that run at the same time refresh it in turn. */
export function sessionIn(file: string): SessionStore {
  return {
    load: async () => {
      const session = (await readProfile(file))?.session;
      if (session === undefined) throw new Error(`${file} has no session any more.`);
      return session;
    },
    save: async (session) => {
      const profile = await readProfile(file);
      // Somebody has signed out meanwhile.
      if (profile?.session !== undefined) await writeProfile(file, { ...profile, session });
    },
    lock: (work) => alone(`${file}.lock`, work),
  };
}

/** A lock that is older belongs to a command that was killed: a refresh takes seconds. */
const staleMs = 20_000;

async function alone<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (handle !== undefined) {
      try {
        return await work();
      } finally {
        await handle.close();
        await rm(file, { force: true });
      }
    }
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleMs) await rm(file, { force: true });
    await sleep(50);
  }
}
