import { createInterface } from 'node:readline/promises';
import { migrate } from '../../ground/database/migrate.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { emptySql } from '../../ground/database/sql.ts';
import { systemClock } from '../../ground/lib/clock.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import type { Logger } from '../../ground/platform/log.ts';
import { erasePerson, listUnfinished } from '../../helpdesk/erasures/erase-person.ts';
import { type BackupFolder, openPoint, type Point } from './backup-folder.ts';
import { faultOfPart, readPart } from './parts.ts';

const copied = ['workspace_id', 'id', 'contact_id', 'address_hashes', 'requested_by', 'requested_at'] as const;

/**
 * The statements that ask a restored copy to erase again whom the newest point of the folder remembers as erased. They
 * change nothing for erasures that the copy has. Throws a `StartError` if the newest point is damaged.
 */
export async function laterErasures(folder: BackupFolder, point: Point): Promise<string[]> {
  const newest = await openPoint(folder);
  const table = newest.manifest.tables.find(({ schema, name }) => schema === 'public' && name === 'erasures');
  if (newest.name <= point.name || table === undefined) return [];
  const fault = await faultOfPart(newest.path, table.part);
  if (fault !== undefined) throw new StartError(`The erasures of ${newest.name} cannot be read: ${fault}`);
  const statements: string[] = [];
  for await (const line of createInterface({ input: readPart(newest.path, table.part) })) {
    const fields = line.split('\t');
    const values = copied.map((column) => literal(fields[table.columns.indexOf(column)]));
    statements.push(
      `insert into erasures (${copied.join(', ')}) select ${values.join(', ')} ` +
        `where exists (select from workspaces where id = ${values[0]}) on conflict do nothing`,
    );
  }
  return statements;
}

/** A value of COPY's text format as SQL. These columns hold ids, hashes and times, so nothing needs an escape. */
function literal(field: string | undefined): string {
  if (field === undefined || field === '\\N') return 'null';
  if (/^[\w{},.:+ -]*$/.test(field)) return `'${field}'`;
  throw new StartError('The erasures of the newest backup cannot be read.');
}

type Copy = { databaseUrl: string; authSecret: Uint8Array; log: Logger };

/**
 * Finishes the requested erasures in a restored copy. After an interruption, the service goes on once the copy is live.
 * @returns the number of persons
 */
export async function eraseAgain({ databaseUrl, authSecret, log }: Copy): Promise<number> {
  await migrate(databaseUrl, log);
  const db = openDb({ url: databaseUrl, clock: systemClock, poolSize: 2, onIdleError: () => {} });
  try {
    const scope = { now: systemClock.now(), within: () => emptySql, except: () => emptySql, rowsMax: 100_000 };
    const unfinished = await listUnfinished(db, scope);
    for (const { workspaceId, id } of unfinished) await erasePerson({ db, authSecret }, { workspaceId, id });
    return unfinished.length;
  } finally {
    await db.close();
  }
}
