import { stat } from 'node:fs/promises';
import { openDns } from '@kontor/mail/dns.ts';
import { bytesBelow, type FoundMail, readMails } from '@kontor/mail/files/mailbox-files.ts';
import { findWorkspace } from '../../../access/workspaces/find-named.ts';
import { openBlobs } from '../../../ground/blobs/open-blobs.ts';
import { isDatabaseAway } from '../../../ground/database/faults.ts';
import { migrate } from '../../../ground/database/migrate.ts';
import { openDb } from '../../../ground/database/open-db.ts';
import { openDatabaseOfService } from '../../../ground/embedded-postgres/borrowed-postgres.ts';
import { systemClock } from '../../../ground/lib/clock.ts';
import { StartError } from '../../../ground/lib/start-error.ts';
import { quietLog, readCommandLine, say, wrongUsage } from '../../../ground/platform/command-line.ts';
import { stopSignal } from '../../../ground/platform/stop.ts';
import { readConfig } from '../../../ground/settings/config.ts';
import { openMailParser } from '../mail-parser.ts';
import { type ImportChoices, importedStatuses } from '../raw-mails.ts';
import type { Stores } from '../stores.ts';
import { type ImportOptions, importMails } from './import.ts';
import { importDisplay } from './import-display.ts';
import { isOwnEntry } from './own-entries.ts';

/** One connection ingests mails while another stores the next batch. */
const poolSize = 3;

/**
 * Imports .eml and .emlx files, folders of them, mbox files, Maildirs and zip archives into a workspace. The service
 * may be running or stopped. Ctrl-C ends the import after the current batch. It may be started again at any time and
 * imports nothing twice.
 * @returns the exit code: 0 when all was read, 130 when it was stopped
 * Throws a `StartError` for problems that the caller can fix.
 */
export async function importCommand(
  environment: Record<string, string | undefined>,
  parameters: string[],
): Promise<number> {
  const { workspace, paths, choices } = readParameters(parameters);
  const config = readConfig(environment);
  for (const path of paths) await checkPath(path);
  const log = quietLog(config);
  const stopping = stopSignal(log);
  await using stack = new AsyncDisposableStack();
  const database = await openDatabaseOfService(config, log);
  stack.defer(database.stop);
  if (!database.isBorrowed) await migrate(database.directUrl, log);
  const db = openDb({ url: database.url, settings: config, clock: systemClock, poolSize, onIdleError: () => {} });
  stack.defer(() => db.close());
  const workspaceId = await findWorkspace(db, workspace);
  const mailParser = openMailParser();
  stack.defer(mailParser.close);
  const stores = { db, blobs: openBlobs(config, log), mailParser, log, config, resolveDns: openDns() };
  const display = await importDisplay(process.stdout, () => sizeOf(paths));
  const totals = await importInto(stores, {
    source: { workspaceId, origin: 'import', via: 'import', mailboxId: null, receivedAt: systemClock.now(), choices },
    mails: mailsOf(paths),
    signal: stopping,
    onProgress: display.show,
  });
  display.end(totals);
  if (!stopping.aborted) return 0;
  say('Stopped. Start it again with the same paths to go on.');
  return 130;
}

async function importInto(stores: Stores, options: ImportOptions<FoundMail>) {
  try {
    return await importMails(stores, options);
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    throw new StartError('The database went away. Start the import again: it continues where it stopped.', {
      cause: error,
    });
  }
}

type Parameters = { workspace: string; paths: string[]; choices: ImportChoices };

function readParameters(parameters: string[]): Parameters {
  const { values, positionals: paths } = readCommandLine('import', parameters, {
    workspace: { type: 'string', short: 'w' },
    status: { type: 'string', default: 'open' },
    own: { type: 'string', multiple: true, default: [] },
  });
  const { own: ownAddresses } = values;
  const workspace = values.workspace?.trim() ?? '';
  const status = importedStatuses.find((one) => one === values.status);
  if (workspace === '' || paths.length === 0 || status === undefined || !ownAddresses.every(isOwnEntry))
    throw wrongUsage('import');
  return { workspace, paths, choices: { status, ownAddresses } };
}

async function checkPath(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new StartError(
      isMissing ? `There is no file or folder ${path}.` : `${path} cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function sizeOf(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += await bytesBelow(path);
  return bytes;
}

async function* mailsOf(paths: readonly string[]): AsyncGenerator<FoundMail> {
  for (const path of paths) yield* readMails(path);
}
