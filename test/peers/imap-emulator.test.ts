import { once } from 'node:events';
import { ImapFlow, type ImapFlowOptions } from 'imapflow';
import { createTransport } from 'nodemailer';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { usualQuirks } from '../../emulators/imap/quirks.ts';
import { openImapEmulator } from '../../emulators/imap.ts';

const server = await openImapEmulator();
const clients: ImapFlow[] = [];
let address = '';
let made = 0;

beforeEach(() => {
  Object.assign(server.quirks, usualQuirks);
  server.clearFaults();
  made++;
  address = `help-${made}@kontor.example`;
  server.addAccount(address, 'secret', ['token']);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => server.close());

function makeClient(options: Partial<ImapFlowOptions> = {}): ImapFlow {
  const client = new ImapFlow({
    host: server.host,
    port: server.ports.imaps,
    secure: true,
    auth: { user: address, pass: 'secret' },
    tls: { ca: server.certificate },
    logger: false,
    ...options,
  });
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

async function connect(options: Partial<ImapFlowOptions> = {}): Promise<ImapFlow> {
  const client = makeClient(options);
  await client.connect();
  return client;
}

function mail(name: string): string {
  return [
    'From: "Ann, Example" <ann@customer.example>',
    `To: ${address}`,
    `Subject: ${name}`,
    `Message-ID: <${name}@customer.example>`,
    '',
    `Text of ${name}`,
    '',
  ].join('\r\n');
}

const selected = (client: ImapFlow) => {
  if (client.mailbox === false) throw new Error('no folder is open');
  return client.mailbox;
};

it.each([
  ['TLS and a password', {}],
  ['STARTTLS', { secure: false, doSTARTTLS: true, port: server.ports.imap }],
  ['a token', { auth: { user: '', accessToken: 'token' } }],
] as [string, Partial<ImapFlowOptions>][])('signs in with %s', async (_how, options) => {
  const client = await connect({ ...options, ...(options.auth && { auth: { ...options.auth, user: address } }) });
  const folders = await client.list();
  expect(folders.map(({ path, specialUse }) => [path, specialUse])).toEqual(
    expect.arrayContaining([
      ['INBOX', '\\Inbox'],
      ['Sent', '\\Sent'],
      ['Archive/2025', undefined],
    ]),
  );
});

it.each([
  [{ auth: { user: '', pass: 'wrong' } }, null, 'AUTHENTICATIONFAILED'],
  [{ auth: { user: '', accessToken: 'wrong' } }, null, 'AUTHENTICATIONFAILED'],
  [{}, 'UNAVAILABLE', 'UNAVAILABLE'],
  [{}, 'LIMIT', 'LIMIT'],
] as [Partial<ImapFlowOptions>, 'UNAVAILABLE' | 'LIMIT' | null, string][])(
  'refuses a sign-in with its code',
  async (options, loginRefusal, code) => {
    server.quirks.loginRefusal = loginRefusal;
    const client = makeClient({ ...options, ...(options.auth && { auth: { ...options.auth, user: address } }) });
    await expect(client.connect()).rejects.toMatchObject({ serverResponseCode: code });
  },
);

it('shows mails by UID, and the last one for a range past the end', async () => {
  for (const name of ['one', 'two', 'three'])
    server.deliver(address, { raw: mail(name), internalDate: new Date('2026-11-20T10:00:00Z') });
  const client = await connect();
  await client.mailboxOpen('INBOX', { readOnly: true });
  const found = await client.fetchOne(
    '2',
    {
      uid: true,
      size: true,
      internalDate: true,
      flags: true,
      envelope: true,
      source: true,
      headers: ['subject'],
    },
    { uid: true },
  );
  expect(found).toMatchObject({
    uid: 2,
    size: mail('two').length,
    internalDate: new Date('2026-11-20T10:00:00Z'),
    envelope: {
      subject: 'two',
      messageId: '<two@customer.example>',
      from: [{ name: 'Ann, Example', address: 'ann@customer.example' }],
    },
  });
  if (found === false) throw new Error('no mail');
  expect(found.source?.toString()).toBe(mail('two'));
  expect(found.headers?.toString()).toBe('Subject: two\r\n\r\n');
  expect(server.folder(address).mails[1]?.flags.size).toBe(0);
  const past = await client.fetchAll('4:*', { uid: true }, { uid: true });
  expect(past.map(({ uid }) => uid)).toEqual([3]);
  const partial = await client.fetchOne('1', { source: { start: 6, maxLength: 4 } }, { uid: true });
  expect(partial).toMatchObject({ source: Buffer.from(mail('one').slice(6, 10)) });
});

it('appends, searches, flags, moves and expunges', async () => {
  const client = await connect();
  const appended = await client.append('Sent', mail('kept'), ['\\Seen'], new Date('2026-11-01T08:00:00Z'));
  expect(appended).toMatchObject({ uid: 1, uidValidity: BigInt(server.folder(address, 'Sent').uidValidity) });
  expect(server.folder(address, 'Sent').mails[0]).toMatchObject({
    internalDate: new Date('2026-11-01T08:00:00Z'),
    flags: new Set(['\\Seen']),
  });
  await client.mailboxOpen('Sent');
  const search = (query: object) => client.search(query, { uid: true });
  expect(await search({ header: { 'message-id': '<kept@customer.example>' } })).toEqual([1]);
  expect(await search({ header: { 'message-id': '<other@customer.example>' } })).toEqual([]);
  expect(await search({ since: new Date('2026-11-01T00:00:00Z'), uid: '1:*' })).toEqual([1]);
  expect(await search({ since: new Date('2026-11-02T00:00:00Z') })).toEqual([]);
  await client.messageFlagsAdd('1', ['\\Flagged'], { uid: true });
  expect(server.folder(address, 'Sent').mails[0]?.flags).toContain('\\Flagged');
  const moved = await client.messageMove('1', 'Archive/2025', { uid: true });
  expect(moved).toMatchObject({ uidMap: new Map([[1, 1]]) });
  expect(server.folder(address, 'Archive/2025').mails[0]?.raw.toString()).toBe(mail('kept'));
  await client.mailboxOpen('Archive/2025');
  await client.messageDelete('1', { uid: true });
  expect(server.folder(address, 'Archive/2025').mails).toEqual([]);
});

it('tells of new mail during IDLE', async () => {
  const client = await connect({ disableAutoIdle: true });
  await client.mailboxOpen('INBOX', { readOnly: true });
  const told = once(client, 'exists');
  const idling = client.idle();
  await expect.poll(() => server.commands.at(-1)).toBe('IDLE');
  server.deliver(address, { raw: mail('new') });
  expect(await told).toMatchObject([{ count: 1, prevCount: 0 }]);
  await client.noop();
  await idling;
});

it('shows changes since a modseq only', async () => {
  server.deliver(address, { raw: mail('one') });
  server.deliver(address, { raw: mail('two') });
  const client = await connect();
  await client.mailboxOpen('INBOX');
  const { highestModseq } = selected(client);
  await client.messageFlagsAdd('2', ['\\Seen'], { uid: true });
  const changed = await client.fetchAll('1:*', { uid: true }, { uid: true, changedSince: highestModseq ?? 0n });
  expect(changed.map(({ uid }) => uid)).toEqual([2]);
});

it('plays the habits of real servers', async () => {
  server.deliver(address, { raw: mail('one') });
  server.deliver(address, { raw: mail('two') });
  const client = await connect();
  Object.assign(server.quirks, { omittedUids: new Set([1]), hasNilEnvelope: true, highestModSeq: 'none' });
  await client.mailboxOpen('INBOX');
  expect(selected(client)).toMatchObject({ noModseq: true });
  const fetched = await client.fetchAll('1:*', { uid: true, envelope: true }, { uid: true });
  expect(fetched.map(({ uid }) => uid)).toEqual([2]);
  expect(await client.fetchOne('1', { uid: true }, { uid: true })).toMatchObject({ uid: 1 });
  const before = selected(client).uidValidity;
  await client.mailboxClose();
  server.renewUidValidity(address);
  await client.mailboxOpen('INBOX');
  expect(selected(client).uidValidity).toBe(before + 1n);
  server.quirks.appendRefusal = 'OVERQUOTA';
  await expect(client.append('Sent', mail('three'))).rejects.toMatchObject({ serverResponseCode: 'OVERQUOTA' });
});

it('announces a literal of 10 GB', async () => {
  server.deliver(address, { raw: mail('one') });
  server.quirks.announcedBytes = 10_000_000_000;
  const client = await connect({ maxLiteralSize: 64 * 1024 * 1024 });
  await client.mailboxOpen('INBOX');
  const closed = new Promise((resolve) => client.on('close', () => resolve(undefined)));
  await expect(client.fetchOne('1', { source: true }, { uid: true })).rejects.toThrow();
  await closed;
});

it('fails commands by script, and loses connections', async () => {
  const client = await connect();
  server.setFault({ on: 'STATUS', kind: 'no', code: 'UNAVAILABLE' });
  expect(await client.status('Sent', { messages: true })).toBe(false);
  expect(await client.status('Sent', { messages: true })).toMatchObject({ messages: 0 });
  server.setFault({ on: 'APPEND', kind: 'late' });
  await expect(client.append('Sent', mail('one'))).rejects.toThrow();
  expect(server.folder(address, 'Sent').mails).toHaveLength(1);
});

it('takes submissions of its accounts only, and files copies if asked', async () => {
  const transport = (pass: string) =>
    createTransport({
      host: server.host,
      port: server.ports.submission,
      requireTLS: true,
      tls: { ca: server.certificate },
      auth: { user: address, pass },
    });
  const envelope = { from: address, to: 'ann@customer.example' };
  server.quirks.filesSentCopies = true;
  await transport('secret').sendMail({ envelope, raw: mail('answer') });
  expect(server.submissions.at(-1)).toMatchObject({ account: address, recipients: ['ann@customer.example'] });
  expect(server.folder(address, 'Sent').mails).toHaveLength(1);
  await expect(transport('wrong').sendMail({ envelope, raw: mail('x') })).rejects.toMatchObject({ responseCode: 535 });
  const foreign = { from: 'boss@kontor.example', to: 'ann@customer.example' };
  await expect(transport('secret').sendMail({ envelope: foreign, raw: mail('x') })).rejects.toMatchObject({
    responseCode: 553,
  });
});
