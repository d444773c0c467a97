import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { ImapFlow, type ImapFlowOptions } from 'imapflow';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { openFaultProxy } from '../../emulators/fault-proxy.ts';
import { openImapEmulator } from '../../emulators/imap.ts';

const address = 'help@kontor.example';
const server = await openImapEmulator();
server.addAccount(address, 'secret');
for (const name of ['one', 'two', 'three'])
  server.deliver(address, { raw: `From: ann@customer.example\r\nSubject: ${name}\r\n\r\n* 9 FETCH (UID 9)\r\n` });
const target = { host: server.host, port: server.ports.imaps, isEncrypted: true };
const proxy = await openFaultProxy({ target });
const usual = { ...proxy.faults };
const clients: ImapFlow[] = [];

beforeEach(() => {
  Object.assign(proxy.faults, usual);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

function makeClient(options: Partial<ImapFlowOptions> = {}): ImapFlow {
  const client = new ImapFlow({
    host: proxy.host,
    port: proxy.port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: address, pass: 'secret' },
    logger: false,
    ...options,
  });
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

/** @returns the subjects of all mails in the inbox */
async function read(client: ImapFlow): Promise<(string | undefined)[]> {
  await client.connect();
  await client.mailboxOpen('INBOX', { readOnly: true });
  const mails = await client.fetchAll('1:*', { uid: true, envelope: true, source: true }, { uid: true });
  return mails.map(({ envelope }) => envelope?.subject);
}

/** @returns the bytes of a short session without a client library */
async function talk(): Promise<Buffer> {
  const socket = connectTcp(proxy.port, proxy.host);
  const chunks: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => chunks.push(bytes));
  socket.on('error', () => undefined);
  socket.write(`a LOGIN ${address} secret\r\nb EXAMINE INBOX\r\nc UID FETCH 1:* (UID BODY.PEEK[])\r\nd LOGOUT\r\n`);
  await once(socket, 'close');
  return Buffer.concat(chunks);
}

it('passes all on as it is without faults', async () => {
  expect(await read(makeClient())).toEqual(['one', 'two', 'three']);
  expect((await talk()).toString()).toContain('d OK LOGOUT completed');
});

it('cuts a session at each byte, exactly', async () => {
  const whole = await talk();
  for (let at = 1; at < whole.length; at += 13) {
    proxy.faults.cutAfterBytes = at;
    expect((await talk()).equals(whole.subarray(0, at)), `cut at ${at}`).toBe(true);
  }
});

it('cuts what the client sends', async () => {
  proxy.faults.cutSentAfterBytes = `a LOGIN ${address} sec`.length;
  const before = server.commands.length;
  await talk();
  expect(server.commands.slice(before)).toEqual([]);
});

it('makes a client that is cut fail at once', async () => {
  const { cuts } = proxy.counts;
  proxy.faults.cutAfterBytes = 700;
  await expect(read(makeClient())).rejects.toThrow();
  expect(proxy.counts.cuts).toBe(cuts + 1);
});

it('stalls without an end', async () => {
  proxy.faults.stallAfterBytes = 20;
  await expect(read(makeClient({ greetingTimeout: 300, socketTimeout: 300 }))).rejects.toThrow();
});

it('drops responses with their literals, and nothing that a mail says', async () => {
  proxy.faults.droppedResponses = /^\* (2|9) FETCH/;
  expect(await read(makeClient())).toEqual(['one', 'three']);
  expect((await talk()).toString()).toContain('* 9 FETCH (UID 9)');
});

it('hides capabilities and changes UIDVALIDITY', async () => {
  proxy.faults.hiddenCapabilities = ['IDLE', 'CONDSTORE'];
  proxy.faults.uidValidityShift = 5;
  const client = makeClient();
  await read(client);
  expect([...client.capabilities.keys()]).toEqual(expect.arrayContaining(['MOVE', 'UIDPLUS']));
  expect(client.capabilities.has('IDLE')).toBe(false);
  const shifted = BigInt(server.folder(address).uidValidity + 5);
  expect(client.mailbox).toMatchObject({ uidValidity: shifted });
  expect(await client.status('INBOX', { messages: true, uidValidity: true })).toMatchObject({ uidValidity: shifted });
});

it('cuts at random, the same at each run of a seed', async () => {
  const lengths = async (seed: number) => {
    const random = await openFaultProxy({ target, seed, faults: { meanBytesToCut: 600 } });
    const found: number[] = [];
    for (let at = 0; at < 5; at++) {
      const socket = connectTcp(random.port, random.host);
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      socket.write(`a LOGIN ${address} secret\r\nb EXAMINE INBOX\r\nd LOGOUT\r\n`);
      await once(socket, 'close');
      found.push(bytes);
    }
    await random.close();
    return found;
  };
  const first = await lengths(7);
  expect(new Set(first).size).toBeGreaterThan(1);
  expect(await lengths(7)).toEqual(first);
  expect(await lengths(8)).not.toEqual(first);
});
