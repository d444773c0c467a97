import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { freePort } from '../../../test/harness/service-process.ts';
import { openSmtpPeer, type SmtpPeer, type SmtpStep, type SmtpTurn } from '../../../test/peers/smtp-peer.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ticketOf } from '../../../test/worlds/mails.ts';
import { openSmtp } from '../../mail/providers/smtp.ts';

const house = useHouse();
const closers: (() => Promise<unknown>)[] = [];
let owner: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openPeer(turnAt?: (step: SmtpStep) => SmtpTurn, port?: number): Promise<SmtpPeer> {
  const peer = await openSmtpPeer(turnAt, port);
  closers.push(peer.close);
  return peer;
}

/** Sends mail to this server from now on, with short timeouts. */
function sendTo(url: string): void {
  const before = house.app.mail;
  house.app.mail = openSmtp(url, { timeoutSeconds: 0.5, answerSeconds: 0.5 });
  const { mail } = house.app;
  closers.push(() => {
    house.app.mail = before;
    return mail.close();
  });
}

async function answer(input: object = {}): Promise<{ ticketId: string; id: string }> {
  const { body: ticket } = await owner.call('POST', '/tickets', {
    subject: 'Printer',
    body: 'b',
    requester: { email: 'ann@example.org' },
  });
  const path = `/tickets/${ticket.id}/messages`;
  return (await owner.call('POST', path, { body: 'x', sendEmail: true, ...input })).body;
}

const deliveryOf = async ({ ticketId, id }: { ticketId: string; id: string }): Promise<any> =>
  (await ticketOf(owner, ticketId)).messages.find((message: any) => message.id === id).delivery;

/** Makes waiting retries due now. */
async function tryAgain(): Promise<void> {
  await house.app.db.pool.query('update graphile_worker._private_jobs set run_at = now()');
  await house.drain();
}

test('a server that is down in the first minutes only delays an answer', async () => {
  const port = await freePort();
  sendTo(`smtp://127.0.0.1:${port}`);
  const waiting = await answer();
  const delays: number[] = [];
  for (let attempts = 1; attempts <= 3; attempts++) {
    await tryAgain();
    const delivery = await deliveryOf(waiting);
    expect(delivery).toMatchObject({ status: 'queued', attempts, sentAt: null });
    expect(delivery.error).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
    delays.push(Date.parse(delivery.nextAttemptAt) - house.clock.now().getTime());
  }
  expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
  const peer = await openPeer(undefined, port);
  await tryAgain();
  expect(await deliveryOf(waiting)).toMatchObject({ status: 'sent', attempts: 4, error: null, nextAttemptAt: null });
  expect(peer.received).toHaveLength(1);
});

describe('a server that', () => {
  test.each<[string, SmtpStep, SmtpTurn, RegExp]>([
    ['has no room for connections', 'connect', '421 4.3.2 too busy', /421 4\.3\.2 too busy/],
    ['says nothing', 'connect', 'silence', /Greeting never received|Timeout/],
    ['defers the sender', 'mail', '451 4.7.1 try later', /451 4\.7\.1 try later/],
    ['shuts down amid the envelope', 'rcpt', '421 4.3.0 shutting down', /421 4\.3\.0 shutting down/],
    ['defers the recipient', 'rcpt', '450 4.2.0 greylisted', /450 4\.2\.0 greylisted/],
    ['hangs at DATA', 'data', 'silence', /Timeout/],
    ['drops the connection at DATA', 'data', 'hang up', /closed/],
    ['defers the content', 'dot', '451 4.3.0 try later', /451 4\.3\.0 try later/],
  ])('%s is retried, and the mail arrives once', async (_what, at, turn, error) => {
    let isWell = false;
    const peer = await openPeer((step) => (step === at && !isWell ? turn : undefined));
    sendTo(peer.url);
    const waiting = await answer();
    await house.drain();
    const delivery = await deliveryOf(waiting);
    expect(delivery).toMatchObject({
      status: 'queued',
      attempts: 1,
      sentAt: null,
      error: expect.stringMatching(error),
    });
    expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(house.clock.now().getTime());
    isWell = true;
    const refused = peer.received.length;
    await tryAgain();
    expect(await deliveryOf(waiting)).toMatchObject({ status: 'sent', attempts: 2, error: null, nextAttemptAt: null });
    expect(peer.received.length - refused).toBe(1);
  });

  test.each<[string, SmtpStep, SmtpTurn, RegExp]>([
    ['refuses the recipient', 'rcpt', '550 5.1.1 no such user', /550 5\.1\.1 no such user/],
    ['refuses the sender', 'mail', '553 5.7.1 not you', /553 5\.7\.1 not you/],
    ['refuses the content', 'dot', '554 5.7.1 looks like spam', /554 5\.7\.1 looks like spam/],
  ])('%s is not retried, and the ticket reopens', async (_what, at, turn, error) => {
    const peer = await openPeer((step) => (step === at ? turn : undefined));
    sendTo(peer.url);
    const refused = await answer({ thenStatus: 'closed', thenArchive: true });
    await house.drain();
    const seen = peer.received.length;
    await tryAgain();
    expect(await deliveryOf(refused)).toMatchObject({
      status: 'failed',
      attempts: 1,
      nextAttemptAt: null,
      error: expect.stringMatching(error),
    });
    expect(peer.received).toHaveLength(seen);
    const found = (await owner.call('GET', '/tickets?delivery=failed')).body.map(({ id }: any) => id);
    expect(found).toContain(refused.ticketId);
  });

  test.each<[string, SmtpTurn, RegExp]>([
    ['drops the connection behind the final dot', 'hang up', /closed/],
    ['never answers the final dot', 'silence', /Timeout/],
  ])('%s makes the answer uncertain until a person sends it again', async (_what, turn, error) => {
    let isWell = false;
    const peer = await openPeer((step) => (step === 'dot' && !isWell ? turn : undefined));
    sendTo(peer.url);
    const lost = await answer();
    await house.drain();
    await tryAgain();
    expect(await deliveryOf(lost)).toMatchObject({
      status: 'uncertain',
      attempts: 1,
      error: expect.stringMatching(error),
    });
    expect(peer.received).toHaveLength(1);
    isWell = true;
    await owner.call('POST', `/tickets/${lost.ticketId}/messages/${lost.id}/retry`);
    await house.drain();
    expect(await deliveryOf(lost)).toMatchObject({ status: 'sent', attempts: 2, error: null });
    const ids = peer.received.map(({ raw }) => /^Message-ID: (.*)$/m.exec(raw)?.[1]);
    expect(ids).toEqual([`<${lost.id.replaceAll('-', '')}@kontor.localhost>`, ids[0]]);
  });
});

test('Bcc appears only in the envelope', async () => {
  const peer = await openPeer();
  sendTo(peer.url);
  const { ticketId, id } = await answer({
    ccAddresses: ['cc@example.org'],
    bccAddresses: ['Hidden@example.org', 'CC@example.org', 'ann@example.org'],
  });
  await house.drain();
  expect(await deliveryOf({ ticketId, id })).toMatchObject({ status: 'sent' });
  const [mail] = peer.received;
  expect(mail?.to).toEqual(['ann@example.org', 'cc@example.org', 'Hidden@example.org']);
  expect(mail?.raw).not.toMatch(/hidden|^bcc/im);
  const [, message] = (await ticketOf(owner, ticketId)).messages;
  expect(message).toMatchObject({ to: ['ann@example.org'], cc: ['cc@example.org'], bcc: ['Hidden@example.org'] });
});
