/**
 * Checks that no mail at an IMAP server is lost or doubled while connections break, processes die and the server
 * numbers its mails anew. 10,000 mails go to ten mailboxes at Dovecot, through a proxy that cuts connections.
 * `node bench/prove/imap-storm.ts [--seed 1] [--mails 10000] [--answers 200] [--cuts 200] [--kills 5]
 * [--renumberings 3]` exits with 1 unless each mail is one message, and each answer left once and has one copy in the
 * sent folder. Needs root and dovecot-imapd 2.3.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openFaultProxy } from '../../emulators/fault-proxy.ts';
import { randomOf } from '../../emulators/random.ts';
import { sql } from '../../src/database/sql.ts';
import { type ImapDesk, type ImapStage, openImapDesk, openImapStage, tell } from '../imap/stage.ts';

const option = (of: number) => ({ type: 'string', default: String(of) }) as const;
const { values } = parseArgs({
  options: {
    seed: option(1),
    mails: option(10_000),
    answers: option(200),
    cuts: option(200),
    kills: option(5),
    renumberings: option(3),
  },
});
const seed = Number(values.seed);
const mails = Number(values.mails);
const answersWanted = Number(values.answers);
const mailboxCount = 10;
const pauseMs = 25;
const settleMsMax = 20 * 60_000;
const random = randomOf(seed);

type Storm = { stage: ImapStage; desk: ImapDesk; proxy: Awaited<ReturnType<typeof openFaultProxy>> };

/** The mails before which something happens. */
function instants(count: number): Set<number> {
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(1 + Math.floor(mails * (0.02 + 0.96 * random.fraction())));
  return chosen;
}

function rawOf(mail: number, to: string): string {
  const head = [`From: writer${mail % 700}@example.net`, `To: ${to}`, `Subject: Mail ${mail}`];
  const body = 'Good day, I have a question. '.repeat(1 + random.below(60));
  return [...head, `Message-ID: <storm-${mail}@example.net>`, '', body, ''].join('\n');
}

/** @returns the answers' Message-IDs, and the work that still runs */
async function write({ stage, desk, proxy }: Storm) {
  const { dovecot, fleet, db } = stage;
  const [cuts, kills, renumberings, answers] = [
    instants(Number(values.cuts)),
    instants(Number(values.kills)),
    instants(Number(values.renumberings)),
    instants(answersWanted),
  ];
  const answered: string[] = [];
  const running: Promise<unknown>[] = [];
  for (let mail = 1; mail <= mails; mail++) {
    const { address } = desk.boxes[random.below(mailboxCount)] ?? { address: '' };
    await dovecot.deliver(address, rawOf(mail, address));
    if (cuts.has(mail)) proxy.dropConnections();
    if (kills.has(mail)) running.push(fleet.kill(1 + random.below(fleet.size - 1), 500 + random.below(2_000)));
    if (renumberings.has(mail)) running.push(dovecot.renumber(desk.boxes[random.below(mailboxCount)]?.address ?? ''));
    if (answers.has(mail)) running.push(answer(stage, desk, answered));
    if (mail % 1_000 === 0) {
      const taken = await db.one<{ count: number }>(sql`select count(*) from messages where direction = 'inbound'`);
      console.log(`${mail} mails are written, ${taken.count} taken`);
    }
    await sleep(pauseMs);
  }
  await Promise.all(running);
  return answered;
}

async function answer({ db }: ImapStage, desk: ImapDesk, answered: string[]): Promise<void> {
  const ticket = await db.maybe<{ id: string }>(sql`
    select t.id from tickets t where not exists (
      select from messages m where m.ticket_id = t.id and m.direction = 'outbound') order by random() limit 1`);
  if (ticket === undefined) return;
  const body = { body: 'It is on its way.', sendEmail: true };
  const { status, body: message } = await desk.call<{ id: string }>('POST', `/tickets/${ticket.id}/messages`, body);
  if (status !== 201) throw new Error(`an answer was refused: ${status} ${JSON.stringify(message)}`);
  answered.push(message.id);
}

type Left = { mails: number; deliveries: number; copies: number };

async function settle({ db }: ImapStage): Promise<Left> {
  const startedAt = performance.now();
  for (;;) {
    const left = await db.one<Left>(sql`
      select ${mails}::integer - (select count(*)::integer from messages where direction = 'inbound') as mails,
        (select count(*)::integer from messages
          where delivery_status in ('queued', 'sending', 'retrying')) as deliveries,
        (select count(*)::integer from unfiled_copies) as copies`);
    if (left.mails <= 0 && left.deliveries === 0 && left.copies === 0) return left;
    if (performance.now() - startedAt > settleMsMax) return left;
    // Skips the long pauses after failures. A lease is shorter than five minutes, and stays.
    await db.tx((tx) =>
      tx.run(sql`
        update unfiled_copies set due_at = ${tx.now} where due_at > ${tx.now}::timestamptz + interval '310 seconds'`),
    );
    await sleep(1_000);
  }
}

/** @returns a sentence for each difference */
async function judge({ stage: { db, dovecot }, desk }: Storm, answered: string[], left: Left): Promise<string[]> {
  const faults = Object.entries(left).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what} are left`]));
  const taken = await db.rows<{ id: string; count: number }>(sql`
    select rfc_message_id as id, count(*)::integer as count from messages where direction = 'inbound'
    group by rfc_message_id`);
  const counts = new Map(taken.map(({ id, count }) => [id, count]));
  for (let mail = 1; mail <= mails; mail++) {
    const count = counts.get(`storm-${mail}@example.net`) ?? 0;
    if (count !== 1) faults.push(`mail ${mail} is ${count} messages`);
  }
  const sent = await db.rows<{ id: string; status: string; messageId: string }>(sql`
    select id, delivery_status as status, rfc_message_id as "messageId" from messages
    where id = any(${answered}::uuid[])`);
  const copies: string[] = [];
  for (const { address } of desk.boxes)
    await dovecot.as(address, async (client) => {
      await client.mailboxOpen('Sent', { readOnly: true });
      for await (const { envelope } of client.fetch('1:*', { envelope: true })) copies.push(envelope?.messageId ?? '');
    });
  const statuses: Record<string, number> = {};
  for (const { id, status, messageId } of sent) {
    statuses[status] = (statuses[status] ?? 0) + 1;
    const left = dovecot.mails.filter(({ raw }) => raw.includes(messageId)).length;
    const filed = copies.filter((copy) => copy.includes(messageId)).length;
    if (left > 1 || filed > 1 || (status === 'sent' && (left !== 1 || filed !== 1)))
      faults.push(`answer ${id} is ${status}, left ${left} times and has ${filed} copies`);
  }
  tell('answers by status', JSON.stringify(statuses));
  return faults;
}

async function prove(): Promise<string[]> {
  await using house = new AsyncDisposableStack();
  const stage = await openImapStage(house, { workers: 2 });
  const proxy = await openFaultProxy({ target: stage.dovecot.imap, seed });
  house.defer(proxy.close);
  const imap = { ...stage.dovecot.imap, port: proxy.port };
  const desk = await openImapDesk(stage, 'storm', { count: mailboxCount, imap, sentCopy: 'append' });
  const storm = { stage, desk, proxy };
  await sleep(5_000);
  const startedAt = performance.now();
  const answered = await write(storm);
  const writtenAt = performance.now();
  const left = await settle(stage);
  tell('seed', String(seed));
  tell('mails, answers', `${mails}, ${answered.length}`);
  tell('connections through the proxy', String(proxy.counts.connections));
  tell('seconds of storm', ((writtenAt - startedAt) / 1_000).toFixed(0));
  tell('seconds until all was settled', ((performance.now() - writtenAt) / 1_000).toFixed(0));
  const faults = await judge(storm, answered, left);
  await stage.fleet.stop();
  for (const line of stage.fleet.complaints().slice(0, 10)) console.log('logged:', line.slice(0, 400));
  return faults;
}

const faults = await prove();
for (const line of faults.slice(0, 20)) console.log('differs:', line);
console.log(faults.length === 0 ? 'Nothing is lost or doubled.' : `${faults.length} differences`);
process.exit(faults.length === 0 ? 0 : 1);
