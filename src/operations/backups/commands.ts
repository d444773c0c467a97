import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBlobs } from '../../ground/blobs/open-blobs.ts';
import { migrate } from '../../ground/database/migrate.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { openDatabaseOfService } from '../../ground/embedded-postgres/borrowed-postgres.ts';
import { openDatabaseServer } from '../../ground/embedded-postgres/database-server.ts';
import { startEmbeddedPostgres } from '../../ground/embedded-postgres/embedded-postgres.ts';
import { systemClock } from '../../ground/lib/clock.ts';
import { writeWhole } from '../../ground/lib/durable-file.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import {
  type CommandOptions,
  everySeconds,
  quietLog,
  readCommandLine,
  say,
  wrongUsage,
} from '../../ground/platform/command-line.ts';
import { openLog } from '../../ground/platform/log.ts';
import type { CommandName } from '../../ground/platform/usages.ts';
import { type Config, readConfig } from '../../ground/settings/config.ts';
import { settingsReader } from '../../ground/settings/settings-reader.ts';
import { type BackupFolder, lockBackups, openBackups, openPoint, type Point } from './backup-folder.ts';
import { goLive } from './go-live.ts';
import { noteBackup } from './note-backup.ts';
import { eraseAgain, laterErasures } from './replay-erasures.ts';
import { knownMigrations, requireRestorable, restoreBlobs, restoreTables } from './restore-backup.ts';
import { type KeptSecrets, openSecrets, sealSecrets } from './sealed-secrets.ts';
import { verifyPoint } from './verify-backup.ts';
import { type BackupProgress, forgetOldPoints, writeBackup } from './write-backup.ts';

type Environment = Record<string, string | undefined>;

/** Backs up database, files and, with `BACKUP_PASSPHRASE`, the secrets, while the service runs or not. */
export async function backupCommand(environment: Environment, parameters: string[]): Promise<number> {
  const { place, values } = readPlace('backup', parameters, { keep: { type: 'string' } });
  const keep = values.keep === undefined ? undefined : wholeNumber(values.keep);
  const config = readConfig(environment);
  const passphrase = passphraseOf(environment);
  const log = quietLog(config);
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await openBackups(place, log));
  const database = await openDatabaseOfService(config, log);
  stack.defer(database.stop);
  stack.defer(await lockBackups(folder));
  const blobs = openBlobs(config, log);
  stack.defer(blobs.close);
  const sealedSecrets = passphrase === undefined ? undefined : await sealSecrets(secretsOf(config), passphrase);
  const source = { databaseUrl: database.directUrl, blobs, sealedSecrets };
  const backup = await writeBackup(
    folder,
    source,
    everySeconds((progress) => say(progressLine(progress))),
  );
  const { name, missing, takenAt } = backup;
  const db = openDb({ url: database.url, clock: systemClock, poolSize: 1, onIdleError: () => {} });
  stack.defer(() => db.close());
  await noteBackup(db, takenAt);
  say(`${name}: ${progressLine(backup)}`);
  for (const path of missing) say(`The storage has lost ${path}, so the backup does not have it either.`);
  if (sealedSecrets === undefined)
    say('The secrets are not in it: set BACKUP_PASSPHRASE, or keep auth-secret and encryption-key elsewhere.');
  if (keep === undefined) return 0;
  const { forgotten, others } = await forgetOldPoints(folder, keep, backup.installation);
  if (forgotten > 0) say(`Removed ${forgotten} older backups.`);
  if (others > 0) say(`${others} backups do not name this installation: they stay, and --keep does not count them.`);
  return 0;
}

/** Reads a whole backup and compares it with its hashes. `--restore` also loads it into a temporary database. */
export async function verifyCommand(parameters: string[]): Promise<number> {
  const { place, values } = readPlace('verify', parameters, {
    point: { type: 'string' },
    restore: { type: 'boolean' },
  });
  const log = openLog('warn');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await openBackups(place, log));
  const point = await openPoint(folder, values.point);
  await refuseDamaged(folder, point);
  if (values.restore !== true) return 0;
  const dataDir = await mkdtemp(join(tmpdir(), 'kontor-verify-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { url, stop } = await startEmbeddedPostgres({ dataDir, log, fast: true });
  stack.defer(stop);
  await restoreTables(point, url, log);
  await migrate(url, log);
  say('A temporary database has loaded all tables.');
  return 0;
}

/** Restores a backup into an empty data folder, or into an empty database and the storage of the settings. */
export async function restoreCommand(environment: Environment, parameters: string[]): Promise<number> {
  const { place, values } = readPlace('restore', parameters, { point: { type: 'string' } });
  const config = readConfig(environment);
  const log = quietLog(config);
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await openBackups(place, log));
  const point = await openPoint(folder, values.point);
  const passphrase = passphraseOf(environment);
  const secrets = await secretsIn(point, passphrase);
  const isKept = config.database.kind === 'embedded';
  if (isKept && secrets !== undefined) refuseSeveralKeys(secrets);
  await refuseDamaged(folder, point);
  // A refusal comes before the first change, so that it leaves nothing behind.
  await knownMigrations(point);
  const database = await openDatabaseServer(config, log);
  stack.defer(database.stop);
  // Before any file comes into a storage that is in use.
  await requireRestorable(point, database.directUrl);
  const blobs = openBlobs(config, log);
  stack.defer(blobs.close);
  await blobs.check();
  const files = await restoreBlobs(folder, point, blobs);
  const erasures = await laterErasures(folder, point);
  await restoreTables(point, database.directUrl, log, erasures);
  if (erasures.length > 0) {
    const authSecret = secrets === undefined ? config.authSecret : Buffer.from(secrets.authSecret);
    const copy = { databaseUrl: database.directUrl, authSecret, log };
    say(`Erased ${await eraseAgain(copy)} persons again, as later backups tell.`);
  }
  if (isKept && secrets !== undefined) await placeSecrets(config.dataDir, secrets);
  const rows = point.manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  say(`Restored ${point.name}: ${rows} rows and ${files} files.`);
  if (secrets === undefined) say('The secrets were not restored: put auth-secret and encryption-key in place.');
  const settings = isKept ? `DATA_DIR='${config.dataDir.replaceAll("'", "'\\''")}' ` : '';
  say('The copy is on hold: it neither reads nor sends mail until this command, with the same settings:');
  say(`  ${settings}node operate.js go-live`);
  if (isKept) say(`Start it on this folder, too:\n  ${settings}npm start`);
  return 0;
}

/** Lets a restored copy read and send mail from its next start on. */
export async function goLiveCommand(environment: Environment, parameters: string[]): Promise<number> {
  const { values, positionals } = readCommandLine('go-live', parameters, { moved: { type: 'boolean' } });
  if (positionals.length > 0) throw wrongUsage('go-live');
  const config = readConfig(environment);
  const log = quietLog(config);
  await using stack = new AsyncDisposableStack();
  const database = await openDatabaseOfService(config, log);
  stack.defer(database.stop);
  // The backup may be of an earlier release.
  if (!database.isBorrowed) await migrate(database.directUrl, log);
  const db = openDb({ url: database.url, clock: systemClock, poolSize: 2, onIdleError: () => {} });
  stack.defer(() => db.close());
  const isMoved = values.moved === true;
  const uncertain = await goLive(db, { isMoved });
  if (uncertain === undefined) throw new StartError('Nothing is on hold: this database was not restored, or is live.');
  if (uncertain > 0) say(`${uncertain} answers waited in the backup and may have left since: people decide on each.`);
  if (!isMoved) say('It is an installation of its own now: back it up to another folder than the original.');
  say('The service reads and sends mail from its next start on.');
  return 0;
}

async function refuseDamaged(folder: BackupFolder, point: Point): Promise<void> {
  const { tables, files, faults } = await verifyPoint(folder, point);
  if (faults.length > 0)
    throw new StartError(`The backup ${point.name} is damaged:\n${faults.map((each) => `  ${each}`).join('\n')}`);
  say(`${point.name}: ${tables} tables and ${files} files are whole.`);
}

function secretsOf({ authSecret, encryptionKeys }: Config): KeptSecrets {
  const text = (secret: Uint8Array) => Buffer.from(secret).toString();
  return { authSecret: text(authSecret), encryptionKeys: encryptionKeys.map(text) };
}

async function secretsIn({ path, manifest }: Point, passphrase: string | undefined): Promise<KeptSecrets | undefined> {
  if (manifest.secrets === null || passphrase === undefined) return undefined;
  return openSecrets(await readFile(join(path, manifest.secrets.file)), passphrase);
}

/** A data folder has room for one key. */
function refuseSeveralKeys({ encryptionKeys }: KeptSecrets): void {
  if (encryptionKeys.length === 1) return;
  throw new StartError(
    'The backup has several encryption keys, and a data folder keeps one: restore it without BACKUP_PASSPHRASE, ' +
      'and start the copy with AUTH_SECRET and ENCRYPTION_KEY of the original service.',
  );
}

/** Puts the secrets where a start looks for them. Those of an earlier start stay beside. */
async function placeSecrets(dataDir: string, { authSecret, encryptionKeys }: KeptSecrets): Promise<void> {
  for (const [name, secret] of [
    ['auth-secret', authSecret],
    ['encryption-key', encryptionKeys[0] ?? ''],
  ] as const) {
    const path = join(dataDir, name);
    await rename(path, `${path}.before-restore`).catch(() => {});
    await writeWhole(path, Buffer.from(secret), { mode: 0o600 });
  }
}

const passphraseCharsMin = 12;

function passphraseOf(environment: Environment): string | undefined {
  const { text, faults } = settingsReader(environment);
  const passphrase = text('BACKUP_PASSPHRASE');
  if (faults[0] !== undefined) throw new StartError(faults[0]);
  if (passphrase === undefined || passphrase.length >= passphraseCharsMin) return passphrase;
  throw new StartError(`BACKUP_PASSPHRASE: shorter than ${passphraseCharsMin} characters`);
}

function readPlace<const Wanted extends CommandOptions>(name: CommandName, parameters: string[], options: Wanted) {
  const { values, positionals } = readCommandLine(name, parameters, options);
  const [place, ...others] = positionals;
  if (!place || others.length > 0) throw wrongUsage(name);
  return { place, values };
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw wrongUsage('backup');
}

function progressLine({ tables, rows, filesCopied, filesThere }: BackupProgress): string {
  return `${tables} tables with ${rows} rows, ${filesCopied} new files, ${filesThere} files of earlier backups`;
}
