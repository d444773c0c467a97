import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildHouse, type House } from '../harness/harness.ts';
import { findLockWaits } from '../harness/lock-waits.ts';
import { runService, type ServiceProcess } from '../harness/service-process.ts';
import { openSmtpPeer, type ReceivedMail, type SmtpPeer, type SmtpStep } from '../peers/smtp-peer.ts';
import { makeOwner, type Person } from '../worlds/factories.ts';
import { ticketOf } from '../worlds/mails.ts';

/**
 * An answer after a crash: its state, whether its hand-over was recorded, and how many complete mails the server has.
 */
type Left = [status: string, isHandedOver: boolean, received: number];

/**
 * Where an answer is when the service dies: at a step of the SMTP server, after a step while its commit waits, or
 * before the claim.
 */
type Point = ({ at: SmtpStep } | { behind: 'data' | 'dot' } | { before: 'claim' }) & { left: Left };

/** As many answers in a round as the service runs jobs at once. */
const rounds: Point[][] = [
  [
    { at: 'connect', left: ['sending', false, 0] },
    { at: 'ehlo', left: ['sending', false, 0] },
    { at: 'mail', left: ['sending', false, 0] },
    { at: 'rcpt', left: ['sending', false, 0] },
  ],
  [
    { at: 'data', left: ['sending', false, 0] },
    { behind: 'data', left: ['sending', false, 0] },
    { at: 'content', left: ['sending', true, 0] },
    { at: 'dot', left: ['sending', true, 1] },
  ],
  [
    { behind: 'dot', left: ['sending', true, 1] },
    { before: 'claim', left: ['queued', false, 0] },
  ],
];

const settings = { MAIL_FROM: 'support@desk.example', AUTH_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: 'x'.repeat(32) };
let house: House & { close(): Promise<void> };
let owner: Person;
let peer: SmtpPeer;
let turnAt: (step: SmtpStep, mail: ReceivedMail) => Promise<'hang up' | undefined> = async () => undefined;
const workers: ServiceProcess[] = [];
/** Enough for a busy machine to start a worker, and for the worker's first answers. */
const startsWithinMs = 60_000;

beforeAll(async () => {
  house = await buildHouse(settings);
  owner = await makeOwner(house);
  peer = await openSmtpPeer((step, mail) => turnAt(step, mail));
});

afterAll(async () => {
  for (const worker of workers) worker.process.kill('SIGKILL');
  await peer.close();
  await house.close();
});

/** Starts a worker in its own process, on the house's database and files. */
function startWorker(): ServiceProcess {
  const { databaseUrl, dataDir } = house;
  const own = { ROLES: 'worker', DATABASE_URL: databaseUrl, DATA_DIR: dataDir, SMTP_URL: peer.url };
  const worker = runService({ ...settings, ...own });
  workers.push(worker);
  return worker;
}

type Answered = { ticketId: string; messageId: string; to: string };

async function answer(to: string): Promise<Answered> {
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Hi', body: 'b', requester: { email: to } });
  const { status, body } = await owner.call('POST', `/tickets/${ticket.id}/messages`, {
    body: 'Hello',
    // Large, so that the server gets it in parts.
    bodyHtml: `<p>${'word '.repeat(150_000)}</p>`,
    sendEmail: true,
  });
  expect(status).toBe(201);
  return { ticketId: ticket.id, messageId: body.id, to };
}

/** Locks a message against writes. @returns a function that releases the lock */
async function holdMessage({ messageId }: Answered): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: house.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select from messages where workspace_id = $1 and id = $2 for update', [
    owner.workspaceId,
    messageId,
  ]);
  return () => client.end();
}

async function countWaiting(): Promise<number> {
  const waits = await findLockWaits(house.databaseUrl);
  return waits.filter((query) => /update (?:public\.)?messages/i.test(query)).length;
}

/** Starts a worker on one answer per point, brings each answer to its point, and then kills the worker. */
async function crashAt(points: readonly Point[], answers: readonly Answered[]): Promise<void> {
  const held = points.some((point) => 'before' in point) ? [await holdMessage(answers[0] as Answered)] : [];
  const onTheWay = points.filter((point) => !('before' in point));
  const pointOf = new Map<ReceivedMail, Point | undefined>();
  let connections = 0;
  let reached = 0;
  let isDead: (turn: 'hang up') => void = () => {};
  const death = new Promise<'hang up'>((resolve) => {
    isDead = resolve;
  });
  turnAt = async (step, mail) => {
    if (step === 'connect') pointOf.set(mail, onTheWay[connections++]);
    const point = pointOf.get(mail) ?? { before: 'claim' };
    const answered = answers.find(({ to }) => mail.to.includes(to));
    if ('behind' in point && step === point.behind && answered !== undefined) held.push(await holdMessage(answered));
    if (!('at' in point) || step !== point.at) return undefined;
    reached++;
    return death;
  };
  const worker = startWorker();
  const steps = points.filter((point) => 'at' in point).length;
  const whenAllAreThere = async () => expect([reached, await countWaiting()]).toEqual([steps, points.length - steps]);
  await vi.waitFor(whenAllAreThere, { timeout: startsWithinMs, interval: 50 });
  worker.process.kill('SIGKILL');
  await worker.exited;
  isDead('hang up');
  for (const letGo of held) await letGo();
}

async function leftOf({ messageId, to }: Answered): Promise<Left> {
  const { rows } = await house.app.db.pool.query(
    'select delivery_status as status, handing_over_at is not null as handing from messages where id = $1',
    [messageId],
  );
  return [rows[0].status, rows[0].handing, peer.received.filter((mail) => mail.to.includes(to)).length];
}

const deliveryOf = async ({ ticketId, messageId }: Answered) =>
  (await ticketOf(owner, ticketId)).messages.find(({ id }: any) => id === messageId).delivery;

async function untilSettled(answers: readonly Answered[]): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const one of answers) expect(['queued', 'sending']).not.toContain((await leftOf(one))[0]);
    },
    { timeout: startsWithinMs, interval: 100 },
  );
}

/**
 * The queue returns the jobs of a dead worker after 30 s without a heartbeat. Makes that true now, or false for longer
 * than a round.
 */
async function setSilence(isOver: boolean): Promise<void> {
  const at = isOver ? `now() - interval '1 minute'` : `now() + interval '10 minutes'`;
  const { pool } = house.app.db;
  await pool.query(`update worker_heartbeats set seen_at = ${at}`);
  await pool.query(`update graphile_worker._private_jobs set locked_at = ${at} where locked_at is not null`);
}

test('an answer whose worker dies on the way is sent again or reported, and never doubled without a click', {
  timeout: 8 * startsWithinMs,
}, async () => {
  const all: (Answered & { left: Left })[] = [];
  for (const points of rounds) {
    const answers = await Promise.all(points.map((_, index) => answer(`c${all.length + index}@example.org`)));
    await crashAt(points, answers);
    await setSilence(false);
    for (const one of answers) all.push({ ...one, left: await leftOf(one) });
    expect(
      all
        .slice(-points.length)
        .map(({ left }) => left.join(' '))
        .toSorted(),
    ).toEqual(points.map(({ left }) => left.join(' ')).toSorted());
  }

  turnAt = async () => undefined;
  await setSilence(true);
  startWorker();
  await untilSettled(all);
  for (const one of all) {
    const [before, isHandedOver, received] = one.left;
    const { attempts, error } = await deliveryOf(one);
    expect(await leftOf(one)).toEqual(isHandedOver ? ['uncertain', true, received] : ['sent', true, 1]);
    expect(attempts).toBe(before === 'queued' || isHandedOver ? 1 : 2);
    if (isHandedOver) expect(error).toMatch(/whether it left is not known/);
    else expect(error).toBeNull();
  }

  const doubtful = all.filter(({ left }) => left[1]);
  const shown = (await owner.call('GET', '/tickets?delivery=uncertain')).body.map(({ id }: any) => id);
  expect(shown.toSorted()).toEqual(doubtful.map(({ ticketId }) => ticketId).toSorted());
  for (const { ticketId, messageId } of doubtful) {
    await owner.call('POST', `/tickets/${ticketId}/messages/${messageId}/retry`);
  }
  await untilSettled(doubtful);
  for (const one of doubtful) expect(await leftOf(one)).toEqual(['sent', true, one.left[2] + 1]);
});
