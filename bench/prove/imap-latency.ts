/**
 * Measures how soon a mail at Dovecot becomes a ticket while Kontor listens to the mailbox (IDLE).
 * `node bench/prove/imap-latency.ts [--mails 200]` delivers single mails, and looks for each ticket in the database.
 * Exits with 1 if the 99th percentile is not below 2 s. Needs root and dovecot-imapd 2.3.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomOf } from '../../emulators/random.ts';
import { sql } from '../../src/database/sql.ts';
import { openImapDesk, openImapStage, shareOf, tell } from '../imap/stage.ts';

const { values } = parseArgs({ options: { mails: { type: 'string', default: '200' } } });
const mails = Number(values.mails);
const p99MsMax = 2_000;
const patienceMs = 240_000;

await using house = new AsyncDisposableStack();
const stage = await openImapStage(house);
const { db, dovecot } = stage;
const desk = await openImapDesk(stage, 'desk');
const address = desk.boxes[0]?.address ?? '';
for (let heard = false; !heard; await sleep(50))
  heard = (await db.maybe(sql`select 1 from mailbox_listeners where holder is not null`)) !== undefined;
await sleep(3_000);
const random = randomOf(20);
const latencies: number[] = [];
for (let mail = 0; mail < mails; mail++) {
  const subject = `Single mail ${mail}`;
  const head = `From: writer${mail}@example.net\nTo: ${address}\nMessage-ID: <single-${mail}@example.net>`;
  const raw = `${head}\nSubject: ${subject}\n\nGood day.\n`;
  const startedAt = performance.now();
  await dovecot.deliver(address, raw);
  while ((await db.maybe(sql`select 1 from tickets where subject = ${subject}`)) === undefined) {
    if (performance.now() - startedAt > patienceMs) throw new Error(`no ticket appeared for "${subject}"`);
    await sleep(10);
  }
  latencies.push(performance.now() - startedAt);
  await sleep(500 + random.below(3_000));
}
const sorted = latencies.toSorted((one, other) => one - other);
tell(
  `${mails} mails over IDLE: p50, p99, longest, ms`,
  [0.5, 0.99, 1].map((at) => shareOf(sorted, at).toFixed(0)).join(', '),
);
await house.disposeAsync();
process.exit(shareOf(sorted, 0.99) < p99MsMax ? 0 : 1);
