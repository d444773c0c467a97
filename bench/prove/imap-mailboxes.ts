/**
 * Measures the first import of a large mailbox at Dovecot, and what many mailboxes cost one process. The mails have 5
 * to 30 kB, as text and as HTML.
 * `node bench/prove/imap-mailboxes.ts [--mails 50000] [--mailboxes 500]` prints mails a second with the memory of the
 * worker, then a table of its memory and connections. Exits with 1 below 150 mails a second, or at 300 MB and more
 * during the import. Needs root and dovecot-imapd 2.3.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Random, randomOf } from '../../emulators/random.ts';
import { sql } from '../../src/database/sql.ts';
import { type ImapStage, openImapDesk, openImapStage, tell } from '../imap/stage.ts';
import { bodyText } from '../words.ts';

const { values } = parseArgs({
  options: { mails: { type: 'string', default: '50000' }, mailboxes: { type: 'string', default: '500' } },
});
const mails = Number(values.mails);
const mailboxes = Number(values.mailboxes);
const mailsPerSecondMin = 150;
const megabytesMax = 300;
const perDesk = 50;
const steps = [0, 50, 100, 250, 500];
const dayMs = 86_400_000;

function rssOf({ fleet }: ImapStage): number {
  const pid = fleet.processes()[1]?.process.pid;
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Open sockets of the worker, those to the database included. */
function socketsOf({ fleet }: ImapStage): number {
  return readdirSync(`/proc/${fleet.processes()[1]?.process.pid}/fd`).length;
}

/** A text and its HTML, which mail programs make several times as long. */
function contentOf(mail: number, text: string, random: Random): string {
  const style = 'margin:0;padding:4px 12px;font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:1.5';
  const cell = `<tr><td style="${style}">${text.replaceAll('\n\n', '<br>\n')}</td></tr>\n`;
  const html = cell.repeat(Math.ceil((4_000 + random.below(24_000)) / cell.length));
  const part = (type: string, body: string) => `--b${mail}\nContent-Type: text/${type}; charset=utf-8\n\n${body}\n`;
  const parts = part('plain', text) + part('html', `<html><body><table>\n${html}</table></body></html>`);
  return `MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b${mail}\n\n${parts}--b${mail}--\n`;
}

async function measureImport(): Promise<boolean> {
  await using house = new AsyncDisposableStack();
  const stage = await openImapStage(house);
  const { db, dovecot } = stage;
  const address = 'import-0@office.example';
  const random = randomOf(50);
  const texts = Array.from({ length: 500 }, () => bodyText(random));
  await dovecot.as(address, (client) => client.mailboxOpen('INBOX'));
  for (let mail = 0; mail < mails; mail++) {
    const at = new Date(Date.now() - dayMs - random.below(300) * dayMs);
    const head = `From: writer${mail % 5_000}@example.net\nTo: ${address}\nDate: ${at.toUTCString()}`;
    const ids = `Message-ID: <old-${mail}@example.net>\nSubject: Old mail ${mail}`;
    await dovecot.deliver(address, `${head}\n${ids}\n${contentOf(mail, random.pick(texts), random)}`, at);
  }
  const before = rssOf(stage);
  const startedAt = performance.now();
  await openImapDesk(stage, 'import', { historyDays: 365 });
  let most = 0;
  for (let taken = 0; taken < mails; ) {
    await sleep(500);
    most = Math.max(most, rssOf(stage));
    taken = (await db.one<{ count: number }>(sql`select count(*)::integer as count from messages`)).count;
    if (performance.now() - startedAt > 30 * 60_000) throw new Error(`only ${taken} mails were taken in half an hour`);
  }
  const rate = mails / ((performance.now() - startedAt) / 1_000);
  tell(`first import of ${mails} mails: mails a second`, rate.toFixed(0));
  tell('memory of the worker before and at most, MB', `${before.toFixed(0)}, ${most.toFixed(0)}`);
  return rate >= mailsPerSecondMin && most < megabytesMax;
}

async function measureMailboxes(): Promise<void> {
  await using house = new AsyncDisposableStack();
  const stage = await openImapStage(house);
  console.log('mailboxes   memory of the process, MB   open files and sockets   connections that listen');
  for (const [at, count] of steps.filter((step) => step <= mailboxes).entries()) {
    for (let made = steps[at - 1] ?? 0; made < count; made += perDesk)
      await openImapDesk(stage, `many${made}`, { count: Math.min(perDesk, count - made) });
    let heard = -1;
    for (let look = 0; heard < count && look < 240; look++) {
      const found = await stage.db.one<{ count: number }>(sql`
        select count(*)::integer as count from mailbox_listeners where holder is not null`);
      heard = found.count;
      await sleep(500);
    }
    await sleep(10_000);
    const row = [count, rssOf(stage).toFixed(0), socketsOf(stage), heard];
    console.log(row.map((cell) => String(cell).padStart(9)).join('            '));
  }
}

const isFast = await measureImport();
await measureMailboxes();
process.exit(isFast ? 0 : 1);
