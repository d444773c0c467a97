/** Dovecot, the database and the service, each in their own processes. Needs root and dovecot-imapd 2.3. */

import type { Db } from '../../src/database/db.ts';
import { openDb } from '../../src/database/open-db.ts';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ServerEnd } from '../../src/mail/provider.ts';
import { openLog } from '../../src/platform/log.ts';
import { hasDovecot, openDovecot, password } from '../../test/dovecot.ts';
import { freePort, temporaryFolder } from '../../test/service-process.ts';
import { type Desk, openDesk } from '../storm/desk.ts';
import { type Fleet, startFleet } from '../storm/processes.ts';

export type ImapStage = { db: Db; fleet: Fleet; dovecot: Awaited<ReturnType<typeof openDovecot>> };

/** @param house closes everything that this opens */
export async function openImapStage(house: AsyncDisposableStack, { workers = 1 } = {}): Promise<ImapStage> {
  if (!hasDovecot) throw new Error('This needs root and dovecot-imapd 2.3.');
  const folder = await temporaryFolder();
  house.defer(folder.remove);
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: openLog('warn') });
  house.defer(postgres.stop);
  const dovecot = await openDovecot();
  house.defer(dovecot.close);
  const settings = { MAIL_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const port = await freePort();
  const fleet = await startFleet({ port, databaseUrl: postgres.url, dataDir: folder.path, workers, settings });
  house.defer(fleet.stop);
  const db = openDb({ url: postgres.url, clock: systemClock, poolSize: 4, onIdleError: () => {} });
  house.defer(db.close);
  return { db, fleet, dovecot };
}

export type ImapDesk = Desk & { boxes: { id: string; address: string }[] };

/** A workspace with mailboxes at Dovecot. */
export async function openImapDesk(
  { fleet, dovecot }: ImapStage,
  name: string,
  { count = 1, imap = dovecot.imap, ...options }: { count?: number; imap?: ServerEnd; [option: string]: unknown } = {},
): Promise<ImapDesk> {
  const desk = await openDesk(fleet.url, name, []);
  const boxes: ImapDesk['boxes'] = [];
  for (let box = 0; box < count; box++) {
    const address = `${name}-${box}@office.example`;
    const given = { provider: 'imap', address, imap, smtp: dovecot.smtp, password, ...options };
    const { status, body } = await desk.call<{ id: string }>('POST', '/mailboxes', given);
    if (status !== 201) throw new Error(`${address} could not be connected: ${JSON.stringify(body)}`);
    boxes.push({ id: body.id, address });
  }
  return { ...desk, boxes };
}

export function tell(name: string, value: string): void {
  console.log(`${name.padEnd(52)}${value.padStart(20)}`);
}

export function shareOf(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
