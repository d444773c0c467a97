import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { openSmtpPeer } from '../../../test/peers/smtp-peer.ts';
import type { MailTransport } from '../transport.ts';
import { needsSmtpUtf8 } from './offers-utf8.ts';
import { openSmtp, openSubmission } from './smtp.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test.each([
  ['jøran@home.example', true],
  ['用户@例子.example', true],
  ['"jø ran"@home.example', true],
  ['ann@h\u00f8me.example', false],
  ['ann@例子.example', false],
  ['ann@b\ufffdd.example', true],
  ['ann@home.example', false],
  ['', false],
])('%s needs SMTPUTF8: %s', (address, isNeeded) => {
  expect(needsSmtpUtf8(address)).toBe(isNeeded);
});

const mail = { envelopeFrom: 'support@example.com', raw: Buffer.from('Subject: x\r\n\r\nHello\r\n') };

/** A server with accounts, and what it was told: the commands with addresses, and the recipients of whole mails. */
async function openServer(offersUtf8: boolean) {
  const told: string[] = [];
  const taken: string[][] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    hideSMTPUTF8: !offersUtf8,
    authOptional: true,
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: (_auth, _session, callback) => callback(null, { user: 'support' }),
    onMailFrom: ({ address }, _session, callback) => {
      told.push(address);
      callback();
    },
    onRcptTo: ({ address }, _session, callback) => {
      told.push(address);
      callback();
    },
    onData: (stream, { envelope }, callback) => {
      stream.resume();
      stream.on('end', () => {
        taken.push(envelope.rcptTo.map(({ address }) => address));
        callback();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo; // The server listens on TCP, so its address is an object.
  return { port, told, taken };
}

const ways = [
  ['the SMTP server of the service', (port: number) => openSmtp(`smtp://127.0.0.1:${port}`)],
  [
    'that of a mailbox',
    (port: number) => {
      const account = { username: 'support', secret: { password: 'secret' } };
      return openSubmission({ host: '127.0.0.1', port, security: 'none', ...account });
    },
  ],
] as const;

describe.each(ways)('%s', (_, openAt) => {
  const open = (port: number): MailTransport => {
    const transport = openAt(port);
    closers.push(() => transport.close());
    return transport;
  };

  test.each([
    ['a recipient', { ...mail, recipients: ['ann@home.example', 'jøran@home.example'] }, 'jøran@home.example'],
    ['a domain too', { ...mail, recipients: ['用户@例子.example'] }, '用户@例子.example'],
    [
      'the sender',
      { ...mail, envelopeFrom: 'hjælp@example.com', recipients: ['ann@home.example'] },
      'hjælp@example.com',
    ],
  ])('gets nothing without SMTPUTF8 where %s needs it', async (_what, outgoing, address) => {
    const { port, told } = await openServer(false);
    const outcome = await open(port).send(outgoing);
    expect(outcome).toMatchObject({ ok: false, permanent: true, reason: expect.stringContaining(address) });
    expect(told).toEqual([]);
  });

  test('gets such an address as it is, where it offers SMTPUTF8', async () => {
    const { port, taken } = await openServer(true);
    expect(await open(port).send({ ...mail, recipients: ['jøran@home.example'] })).toEqual({ ok: true });
    expect(taken).toEqual([['jøran@home.example']]);
  });
});

test('a domain goes in its ASCII form', async () => {
  const peer = await openSmtpPeer();
  closers.push(() => peer.close());
  const transport = openSmtp(peer.url);
  closers.push(() => transport.close());
  const recipients = ['ann@høme.example', 'ben@例子.example'];
  expect(await transport.send({ ...mail, recipients })).toEqual({ ok: true });
  expect(peer.received.map(({ to }) => to)).toEqual([['ann@xn--hme-0na.example', 'ben@xn--fsqu00a.example']]);
});

test('a server that cannot be reached is tried again', async () => {
  const { port } = await openServer(false);
  for (const close of closers.splice(0)) await close();
  const transport = openSmtp(`smtp://127.0.0.1:${port}`);
  closers.push(() => transport.close());
  const outcome = await transport.send({ ...mail, recipients: ['jøran@home.example'] });
  expect(outcome).toMatchObject({ ok: false, permanent: false, code: 'ECONNREFUSED' });
});
