import { resolve } from 'node:path';
import { findWorkspace } from '../../access/workspaces/find-named.ts';
import { openBlobs } from '../../ground/blobs/open-blobs.ts';
import { isDatabaseAway } from '../../ground/database/faults.ts';
import { migrate } from '../../ground/database/migrate.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { openDatabaseBeside } from '../../ground/embedded-postgres/borrowed-postgres.ts';
import { systemClock } from '../../ground/lib/clock.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { everySeconds, quietLog, readCommandLine, say, wrongUsage } from '../../ground/platform/command-line.ts';
import { stopSignal } from '../../ground/platform/stop.ts';
import { readConfig } from '../../ground/settings/config.ts';
import { checkExport } from './check-export.ts';
import { recordFiles } from './format.ts';
import { loadExport } from './load-export.ts';
import type { Loaded, LoadTotals } from './loading.ts';
import type { ProblemList } from './problems.ts';

/** Tickets load three at a time. One more connection looks up the records that are here already. */
const poolSize = 4;
const stoppedCode = 130;

type Parameters = { folder: string; workspace: string | undefined; getsNewNumbers: boolean; isDryRun: boolean };

/**
 * Imports the export of a workspace, while the service runs or not. Ctrl-C ends it after the tickets under way.
 * @returns the exit code: 0 when all was taken, 1 with problems, 130 when it was stopped
 */
export async function loadCommand(
  environment: Record<string, string | undefined>,
  parameters: string[],
): Promise<number> {
  const read = readParameters(parameters);
  const config = readConfig(environment);
  const log = quietLog(config);
  const signal = stopSignal(log);
  if (read.isDryRun) {
    const { counts, problems } = await checkExport(read.folder, signal);
    say(recordFiles.map((name) => `  ${name.padEnd(16)} ${String(counts[name]).padStart(8)}`).join('\n'));
    return report(problems, signal.aborted);
  }
  await using stack = new AsyncDisposableStack();
  const database = await openDatabaseBeside(config, log);
  stack.defer(database.stop);
  if (!database.isBorrowed) await migrate(database.directUrl, log);
  const db = openDb({ url: database.url, settings: config, clock: systemClock, poolSize, onIdleError: () => {} });
  stack.defer(() => db.close());
  const workspaceId = read.workspace === undefined ? undefined : await findWorkspace(db, read.workspace);
  const blobs = openBlobs(config, log);
  stack.defer(blobs.close);
  const { getsNewNumbers } = read;
  const options = { workspaceId, getsNewNumbers, signal, onProgress: everySeconds(sayProgress) };
  const loaded = await loadExport({ db, blobs }, read.folder, options).catch((cause): Loaded => {
    if (!isDatabaseAway(cause)) throw cause;
    throw new StartError('The database went away. Start the import again: it goes on where it stopped.', { cause });
  });
  say(`Workspace ${loaded.workspaceId}`);
  say(closingTable(loaded.totals));
  return report(loaded.problems, signal.aborted);
}

function readParameters(parameters: string[]): Parameters {
  const { values, positionals } = readCommandLine('import', parameters, {
    workspace: { type: 'string', short: 'w' },
    'new-numbers': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  });
  const [folder, ...others] = positionals;
  const workspace = values.workspace?.trim();
  if (folder === undefined || others.length > 0 || workspace === '') throw wrongUsage('import');
  return {
    folder: resolve(folder),
    workspace,
    getsNewNumbers: values['new-numbers'] === true,
    isDryRun: values['dry-run'] === true,
  };
}

function closingTable(totals: LoadTotals): string {
  const row = (cells: readonly (string | number)[]) =>
    cells.map((cell, at) => (at === 0 ? `  ${cell}`.padEnd(18) : String(cell).padStart(10))).join('');
  const rows = recordFiles.map((name) => row([name, totals[name].new, totals[name].updated, totals[name].known]));
  return [row(['', 'new', 'updated', 'there']), ...rows].join('\n');
}

const problemsShown = 200;

/** @returns the exit code */
function report({ kept, count }: ProblemList, isStopped: boolean): number {
  for (const { file, line, reason } of kept.slice(0, problemsShown))
    say(`${file}${line > 0 ? `:${line}` : ''}: ${visible(reason)}`);
  if (count > problemsShown) say(`… and ${count - problemsShown} more`);
  if (count > 0) say(`${count} ${count === 1 ? 'problem' : 'problems'}. What has none was taken.`);
  if (isStopped) say('Stopped. Start it again with the same folder to go on.');
  return isStopped ? stoppedCode : Math.min(count, 1);
}

/** The text of a file cannot send commands to the terminal. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, '\ufffd').slice(0, 500);
}

function sayProgress({ tickets, contacts }: LoadTotals): void {
  say(`${contacts.new} new contacts, ${tickets.new} new tickets, ${tickets.updated + tickets.known} others`);
}
