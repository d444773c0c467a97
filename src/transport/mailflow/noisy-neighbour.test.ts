import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHouse } from '../../../test/harness/harness.ts';
import { sendMail } from '../../../test/peers/smtp-client.ts';
import { openSmtpPeer, type SmtpPeer } from '../../../test/peers/smtp-peer.ts';
import { call, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { startDueWork } from '../../ground/queue/due-work.ts';
import { type Queue, startQueue } from '../../ground/queue/queue.ts';
import type { SmtpListener } from '../../mail/smtp-listener.ts';
import { dueKinds, jobHandlers, lanes } from '../../worker.ts';
import { openMailIn } from './mail-in.ts';

let house: Awaited<ReturnType<typeof buildHouse>>;
let peer: SmtpPeer;
let listener: SmtpListener;
let queue: Queue;
let dueWork: ReturnType<typeof startDueWork>[];
let noisy: Person;
let quiet: Person;

/** A mail server that never answers mail to `slow.example`, and answers other mail at once. */
beforeAll(async () => {
  peer = await openSmtpPeer((step, { to }) => {
    return step === 'data' && to.some((address) => address.endsWith('@slow.example'))
      ? new Promise(() => {})
      : undefined;
  });
  house = await buildHouse({
    SMTP_URL: peer.url,
    SMTP_LISTEN: '127.0.0.1:2525',
    MAIL_FROM: 'support@kontor.example',
  });
  const { app } = house;
  listener = await openMailIn(app, { host: '127.0.0.1', port: 0, tls: undefined });
  noisy = await makeOwner(house);
  quiet = await makeOwner(house);
  queue = await startQueue({
    db: app.db,
    log: app.log,
    handlers: jobHandlers(app),
    crontab: [],
    concurrency: 1,
    lanes,
  });
  dueWork = dueKinds(app).map((kind) => startDueWork(app, kind));
});

afterAll(async () => {
  await listener?.close();
  // Aborts the connections that wait for it.
  await peer?.close();
  await queue?.stop();
  await Promise.all(dueWork.map(({ stop }) => stop()));
  await house?.close();
});

const mailTo = (person: Person, email: string) =>
  person.call('POST', '/tickets', { subject: 'News', body: 'b', sendEmail: true, toAddresses: [email] });
const receivedBy = (email: string) => peer.received.filter(({ to }) => to.includes(email)).length;

test('answers that hang at the mail server do not delay other workspaces’ mail', async () => {
  for (let count = 0; count < 30; count++) await mailTo(noisy, `customer-${count}@slow.example`);
  const sending = () =>
    house.app.db.pool.query(
      `select from graphile_worker.jobs where task_identifier = 'mail.deliver' and locked_at is not null`,
    );
  await expect.poll(async () => (await sending()).rowCount).toBe(5);

  const { address } = (await quiet.call('GET', '/mail/inbound-address')).body;
  expect(await sendMail(listener.port, { to: [address], raw: mailOf() })).toMatch(/^250 /);
  await expect.poll(() => ticketsOf(quiet)).toMatchObject([{ subject: 'The printer is on fire' }]);

  await call(house, 'POST', '/v1/auth/forgot-password', { email: quiet.email });
  await expect.poll(() => receivedBy(quiet.email)).toBe(1);

  await mailTo(quiet, 'ann@example.org');
  await expect.poll(() => receivedBy('ann@example.org')).toBe(1);
});
