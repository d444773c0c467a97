import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findWorkspace } from '../../access/workspaces/find-named.ts';
import { openBlobs } from '../../ground/blobs/open-blobs.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { openDatabaseOfService } from '../../ground/embedded-postgres/borrowed-postgres.ts';
import { lockFolder } from '../../ground/embedded-postgres/folder-lock.ts';
import { systemClock } from '../../ground/lib/clock.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { everySeconds, quietLog, readCommandLine, say, wrongUsage } from '../../ground/platform/command-line.ts';
import { readConfig } from '../../ground/settings/config.ts';
import { fileOf } from './format.ts';
import { type ExportProgress, writeExport } from './write-export.ts';

/**
 * Exports a workspace into a folder, while the service runs or not. Started again, it writes the records anew and
 * copies only files that are not there yet.
 */
export async function exportCommand(
  environment: Record<string, string | undefined>,
  parameters: string[],
): Promise<number> {
  const { workspace, folder } = readParameters(parameters);
  const config = readConfig(environment);
  const log = quietLog(config);
  await using stack = new AsyncDisposableStack();
  const database = await openDatabaseOfService(config, log);
  stack.defer(database.stop);
  const db = openDb({ url: database.url, clock: systemClock, poolSize: 1, onIdleError: () => {} });
  stack.defer(() => db.close());
  const workspaceId = await findWorkspace(db, workspace);
  await checkFolder(folder, workspaceId);
  const lock = await lockFolder(folder, '.export.lock');
  if (lock === 'held') throw new StartError(`Another export writes into ${folder}.`);
  if (lock !== 'unsupported') stack.defer(async () => lock.release());
  const blobs = openBlobs(config, log);
  stack.defer(blobs.close);
  const source = { databaseUrl: database.directUrl, blobs, workspaceId };
  const { missing, ...done } = await writeExport(
    folder,
    source,
    everySeconds((progress) => say(progressLine(progress))),
  );
  for (const path of missing) say(`The storage has lost ${path}, so the export does not have it either.`);
  say(`Exported ${progressLine(done)}.`);
  return 0;
}

function readParameters(parameters: string[]): { workspace: string; folder: string } {
  const { values, positionals } = readCommandLine('export', parameters, { workspace: { type: 'string', short: 'w' } });
  const workspace = values.workspace?.trim() ?? '';
  const [folder, ...others] = positionals;
  if (workspace === '' || folder === undefined || others.length > 0) throw wrongUsage('export');
  return { workspace, folder: resolve(folder) };
}

/**
 * Makes the folder. Refuses a folder with other contents than an export of this workspace, because an export removes
 * files that it does not name.
 */
async function checkFolder(folder: string, workspaceId: WorkspaceId): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  if (names.length === 0) return;
  const head = await readFile(join(folder, fileOf('workspace')), 'utf8').catch(() => undefined);
  if (head === undefined) throw new StartError(`${folder} is not empty, and no export: name another folder.`);
  if (!head.includes(workspaceId)) throw new StartError(`${folder} has the export of another workspace.`);
}

function progressLine({ tickets, filesCopied, filesThere }: ExportProgress): string {
  return `${tickets} tickets, ${filesCopied} new files, ${filesThere} files that were there`;
}
