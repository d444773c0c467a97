import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSmtpPeer } from '../../../test/peers/smtp-peer.ts';
import type { MailTransport } from '../transport.ts';
import { openSmtp } from './smtp.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const sockets = new Set<Socket>();

function dropConnections(): void {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
}

async function listen(options: SMTPServerOptions = {}): Promise<string> {
  const server = new SMTPServer({ disabledCommands: ['STARTTLS', 'AUTH'], closeTimeout: 100, ...options });
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise<void>((resolve) => server.close(resolve)));
  const address = server.server.address() as AddressInfo; // The server listens on TCP, so its address is an object.
  return `smtp://127.0.0.1:${address.port}`;
}

function open(
  url: string,
  limits: Parameters<typeof openSmtp>[1] = { timeoutSeconds: 60, sendSeconds: 60 },
): MailTransport {
  const transport = openSmtp(url, limits);
  closers.push(() => transport.close());
  return transport;
}

const MAIL = {
  envelopeFrom: 'support@example.com',
  recipients: ['ann@example.org', 'ben@example.org'],
  raw: Buffer.from('Subject: x\r\n\r\nHello\r\n.\r\nBye\r\n'),
};

async function openPeer(turnAt?: Parameters<typeof openSmtpPeer>[0]) {
  const peer = await openSmtpPeer(turnAt);
  closers.push(() => peer.close());
  return peer;
}

function refuse(code: number): (...rest: unknown[]) => void {
  return (...rest) => {
    const callback = rest.at(-1) as (error: Error) => void; // smtp-server's last argument
    callback(Object.assign(new Error('no'), { responseCode: code }));
  };
}

it('delivers the mail byte for byte, with its envelope', async () => {
  const received: { from: unknown; to: string[]; raw: string }[] = [];
  const url = await listen({
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map((recipient) => recipient.address),
          raw: Buffer.concat(chunks).toString(),
        });
        callback();
      });
    },
  });
  const transport = open(url);
  expect(await Promise.all([transport.send(MAIL), transport.send({ ...MAIL, envelopeFrom: '' })])).toEqual([
    { ok: true },
    { ok: true },
  ]);
  expect(received).toHaveLength(2);
  expect(received.map((mail) => mail.from)).toEqual(expect.arrayContaining(['support@example.com', '']));
  expect(received[0]).toMatchObject({ to: MAIL.recipients, raw: MAIL.raw.toString() });
});

it.each([
  ['the sender', 550, 'onMailFrom', true],
  ['the sender', 451, 'onMailFrom', false],
  ['the recipients', 550, 'onRcptTo', true],
  ['the recipients', 450, 'onRcptTo', false],
  ['the connection', 554, 'onConnect', false],
])('treats a refusal of %s with %i as permanent or temporary', async (_what, code, hook, permanent) => {
  const url = await listen({ [hook]: refuse(code) });
  expect(await open(url).send(MAIL)).toMatchObject({ ok: false, permanent });
});

it.each([
  [554, true],
  [452, false],
])('treats a refusal of the content with %i as permanent or temporary', async (code, permanent) => {
  const url = await listen({
    onData(stream, _session, callback) {
      stream.resume();
      stream.on('end', () => refuse(code)(callback));
    },
  });
  const outcome = await open(url).send(MAIL);
  expect(outcome).toMatchObject({ ok: false, permanent });
  expect(outcome).toMatchObject({ code: String(code), reason: expect.stringContaining('no') });
  expect(outcome).not.toHaveProperty('mayHaveLeft');
});

it.each([
  ['drops the connection', 60, dropConnections],
  // The time for a whole mail on a busy machine before the client gives up.
  ['never answers', 1, () => {}],
])(
  'reports that the mail may have left when the server has all of it and %s, and sends once',
  async (_what, sendSeconds, end) => {
    let received = 0;
    const url = await listen({
      onData(stream) {
        stream.resume();
        stream.on('end', () => {
          received++;
          end();
        });
      },
    });
    const transport = open(url, { timeoutSeconds: 5, sendSeconds });
    expect(await transport.send(MAIL)).toMatchObject({ ok: false, permanent: false, mayHaveLeft: true });
    await sleep(500);
    expect(received).toBe(1);
  },
);

it.each(['onMailFrom', 'onRcptTo'] as const)(
  'reports that nothing left when the connection drops at %s',
  async (hook) => {
    const outcome = await open(await listen({ [hook]: dropConnections })).send(MAIL);
    expect(outcome).toMatchObject({ ok: false, permanent: false });
    expect(outcome).not.toHaveProperty('mayHaveLeft');
  },
);

it('names the recipients that were refused when others were taken', async () => {
  const url = await listen({
    onRcptTo(address, session, callback) {
      if (address.address.startsWith('ann')) refuse(550)(callback);
      else callback(session.id === '' ? new Error('unreachable') : null);
    },
  });
  const outcome = await open(url).send(MAIL);
  const refused = { code: '550', reason: 'refused for ann@example.org, sent to the others' };
  expect(outcome).toEqual({ ok: true, refused });
});

it('treats wrong credentials as the operator’s problem, not the mail’s', async () => {
  const url = await listen({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: refuse(535),
  });
  const outcome = await open(`${url.replace('smtp://', 'smtp://user:secret@')}?tls=optional`).send(MAIL);
  expect(outcome).toMatchObject({ ok: false, permanent: false });
  expect(JSON.stringify(outcome)).not.toContain('secret');
});

it('never sends a password in the clear to a server that offers no STARTTLS', async () => {
  const onAuth = vi.fn(refuse(535));
  const url = await listen({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, onAuth });
  const outcome = await open(url.replace('smtp://', 'smtp://user:secret@')).send(MAIL);
  expect(outcome).toMatchObject({ ok: false, permanent: false });
  expect(onAuth).not.toHaveBeenCalled();
});

it('fails temporarily when no server listens', async () => {
  expect(await open('smtp://127.0.0.1:1').send(MAIL)).toMatchObject({ ok: false, permanent: false });
});

it.each([
  ['the timeout', { timeoutSeconds: 0.2, sendSeconds: 60 }],
  ['the deadline of a mail', { timeoutSeconds: 60, sendSeconds: 0.2 }],
])('gives up on a silent server by %s', async (_what, limits) => {
  const silent: Server = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  closers.push(() => silent.close());
  const { port } = silent.address() as AddressInfo; // The server listens on TCP, so its address is an object.
  expect(await open(`smtp://127.0.0.1:${port}`, limits).send(MAIL)).toMatchObject({ ok: false, permanent: false });
});

it('sends only to the named mailbox, however its address could be parsed', async () => {
  const peer = await openPeer();
  const recipients = [
    'smith;j@example.org',
    'k,l@example.org',
    '(x)ann@example.org',
    'ben(y)@example.org',
    'a:c@example.org',
  ];
  expect(await open(peer.url).send({ ...MAIL, recipients })).toEqual({ ok: true });
  expect(peer.received[0]?.to).toEqual(recipients.map((address) => `"${address.replace('@', '"@')}`));
});

it('fails permanently for a mail without recipients', async () => {
  expect(await open(await listen()).send({ ...MAIL, recipients: [] })).toMatchObject({ ok: false, permanent: true });
});

describe('before the content', () => {
  it('waits for the step before the content after the 354, with no content sent', async () => {
    const steps: string[] = [];
    const peer = await openPeer((step) => void steps.push(step));
    const outcome = await open(peer.url).send({
      ...MAIL,
      beforeContent: async () => {
        await new Promise(setImmediate);
        steps.push('before');
      },
    });
    expect(outcome).toEqual({ ok: true });
    expect(steps).toEqual(['connect', 'ehlo', 'mail', 'rcpt', 'rcpt', 'data', 'before', 'content', 'dot', 'taken']);
    expect(peer.received[0]?.raw).toBe(MAIL.raw.toString());
  });

  it('sends no byte and no final dot when that step fails', async () => {
    const steps: string[] = [];
    const peer = await openPeer((step) => void steps.push(step));
    const outcome = await open(peer.url).send({ ...MAIL, beforeContent: () => Promise.reject(new Error('not now')) });
    expect(outcome).toEqual({ ok: false, permanent: false, code: 'ESTREAM', reason: 'not now' });
    expect(steps.at(-1)).toBe('data');
    await open(peer.url).send({ ...MAIL, raw: Buffer.from('another\r\n') });
    expect(peer.received.map(({ raw }) => raw)).toEqual(['another\r\n']);
  });

  it('skips that step when the server fails earlier', async () => {
    let calls = 0;
    const peer = await openPeer((step) => (step === 'data' ? '451 busy' : undefined));
    const outcome = await open(peer.url).send({ ...MAIL, beforeContent: async () => void calls++ });
    expect(outcome).toMatchObject({ ok: false, permanent: false, code: '451' });
    expect(calls).toBe(0);
  });
});

describe('a streamed mail', () => {
  const line = Buffer.from(`${'x'.repeat(998)}\r\n`);
  const lines = (count: number) =>
    Readable.from(
      (function* () {
        for (let n = 0; n < count; n++) yield line;
      })(),
    );

  it('arrives byte for byte', async () => {
    const peer = await openPeer();
    expect(await open(peer.url).send({ ...MAIL, raw: () => lines(5_000) })).toEqual({ ok: true });
    expect(peer.received[0]?.raw).toBe(line.toString().repeat(5_000));
  });

  it('has not left when the connection drops before its end: there was no final dot', async () => {
    const peer = await openPeer((step) => (step === 'content' ? 'hang up' : undefined));
    const outcome = await open(peer.url).send({ ...MAIL, raw: () => lines(100_000) });
    expect(outcome).toMatchObject({ ok: false, permanent: false });
    expect(outcome).not.toHaveProperty('mayHaveLeft');
  });

  it('has not left when its own source fails, and says why', async () => {
    const peer = await openPeer();
    const raw = () =>
      Readable.from(
        (async function* () {
          yield line;
          throw new Error('the file is gone');
        })(),
      );
    const outcome = await open(peer.url).send({ ...MAIL, raw });
    expect(outcome).toEqual({ ok: false, permanent: false, code: 'ESTREAM', reason: 'the file is gone' });
    await open(peer.url).send({ ...MAIL, raw: Buffer.from('another\r\n') });
    expect(peer.received.map((mail) => mail.raw)).toEqual(['another\r\n']);
  });
});
