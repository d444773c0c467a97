import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tlsOptions from 'smtp-server/lib/tls-options.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSmtpClient, type SmtpClient, sendMail, stuffed } from '../../test/smtp-client.ts';
import { keptCertificate } from '../platform/kept-certificate.ts';
import { type IncomingMail, type MailKeeper, openSmtpListener, type SmtpListenerOptions } from './smtp-listener.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let folder = '';
let ownTls = { certPath: '', keyPath: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-certificate-'));
  const path = await keptCertificate(folder, { name: 'own.pem', host: 'mx.example.com' });
  ownTls = { certPath: path, keyPath: path };
});
afterAll(() => rm(folder, { recursive: true }));

/** Opens a listener for every mailbox of example.com. Returns also the stored mails and the log. */
async function listen(options: Partial<SmtpListenerOptions> & { keep?: MailKeeper['keep'] } = {}) {
  const kept: IncomingMail[] = [];
  const log = { warn: vi.fn(), debug: vi.fn() };
  const { keep = async (mail: IncomingMail) => void kept.push(mail) } = options;
  const keeper = { isKnown: async (address: string) => address.endsWith('@example.com'), keep };
  const listener = await openSmtpListener({
    host: '127.0.0.1',
    port: 0,
    name: 'mx.example.com',
    tls: ownTls,
    keeper,
    log,
    ...options,
    limits: { closeSecondsMax: 0.2, ...options.limits },
  });
  closers.push(() => listener.close());
  const client = async () => {
    const opened = await openSmtpClient(listener.port);
    closers.push(() => opened.hangUp());
    await opened.say('EHLO client.example.org');
    return opened;
  };
  return { ...listener, kept, log, client };
}

/** A promise that the test settles itself. */
function promised<Value>() {
  let settle: (value: Value) => void = () => {};
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

const to = ['support@example.com'];
const mailOf = (body: string) => Buffer.from(`Subject: x\r\n\r\n${body}`);

describe('a mail that comes in', () => {
  it('is stored byte for byte with its envelope before the answer 250', async () => {
    const stored = promised<void>();
    let isAnswered = false;
    const { port, kept } = await listen({
      keep: async (mail) => {
        kept.push(mail);
        await stored.promise;
      },
    });
    const raw = Buffer.from('Subject: \xe4\r\n\r\n.\r\n..two\r\nbare\n.\nlines\r\0\xff\r\n', 'latin1');
    const answer = sendMail(port, { from: '', to: ['Support@example.com', 'other@example.com'], raw });
    void answer.then(() => {
      isAnswered = true;
    });
    await expect.poll(() => kept).toHaveLength(1);
    expect(kept[0]).toEqual({
      from: '',
      to: ['Support@example.com', 'other@example.com'],
      client: { address: '127.0.0.1', helo: expect.any(String) },
      bytes: raw,
    });
    expect(isAnswered).toBe(false);
    stored.settle();
    expect(await answer).toMatch(/^250 /);
  });

  it('may be pipelined, follow another mail, and use 8-bit bytes and UTF-8 addresses', async () => {
    const { client, kept } = await listen();
    const opened = await client();
    const raw = Buffer.from('Subject: Grüße\r\n\r\nä\r\n');
    const first = [
      `MAIL FROM:<ännchen@exämple.org> BODY=8BITMIME SMTPUTF8 SIZE=${raw.length}`,
      'RCPT TO:<a@example.com>',
      'DATA\r\n',
    ].join('\r\n');
    expect(await opened.say(first.trim())).toMatch(/^250 /);
    expect(await opened.answer()).toMatch(/^250 /);
    expect(await opened.answer()).toMatch(/^354 /);
    opened.send(
      Buffer.concat([stuffed(raw), Buffer.from('MAIL FROM:<b@example.org>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n')]),
    );
    for (const code of [250, 250, 250, 354]) expect(await opened.answer()).toMatch(new RegExp(`^${code} `));
    opened.send(stuffed(raw));
    expect(await opened.answer()).toMatch(/^250 /);
    expect(await opened.say('QUIT')).toMatch(/^221 /);
    expect(kept.map(({ from }) => from)).toEqual(['ännchen@exämple.org', 'b@example.org']);
    expect(kept.every(({ bytes }) => bytes.equals(raw))).toBe(true);
  });

  it('arrives encrypted after STARTTLS, which resets earlier commands', async () => {
    const { client, kept } = await listen();
    const opened = await client();
    await opened.say('MAIL FROM:<eve@example.org>');
    expect(await opened.say('STARTTLS')).toMatch(/^220 /);
    await opened.secure();
    expect(await opened.say('RCPT TO:<a@example.com>')).toMatch(/^503 /);
    expect(await opened.say('EHLO again.example.org')).not.toContain('STARTTLS');
    for (const line of ['MAIL FROM:<ann@example.org>', 'RCPT TO:<a@example.com>', 'DATA']) await opened.say(line);
    opened.send(stuffed(mailOf('Hello')));
    expect(await opened.answer()).toMatch(/^250 /);
    expect(kept).toMatchObject([{ from: 'ann@example.org' }]);
  });

  it('arrives under the certificate from the configured files', async () => {
    const tls = { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') };
    const { cert, key } = tlsOptions();
    await writeFile(tls.certPath, String(cert));
    await writeFile(tls.keyPath, String(key));
    const { client, log } = await listen({ tls });
    const opened = await client();
    await opened.say('STARTTLS');
    await opened.secure();
    expect(await opened.say('EHLO again.example.org')).toMatch(/^250/);
    expect(log.warn).not.toHaveBeenCalled();
    await writeFile(tls.keyPath, 'no key');
    await expect(listen({ tls })).rejects.toThrow(/routines/);
  });

  it('that is too large is refused with 552, before or after its content', async () => {
    const { port, client, kept } = await listen({ limits: { mailBytesMax: 1_000 } });
    const opened = await client();
    expect(await opened.say('MAIL FROM:<ann@example.org> SIZE=1001')).toMatch(/^552 5\.3\.4/);
    expect(await sendMail(port, { to, raw: mailOf('x'.repeat(1_000)) })).toMatch(/^552 5\.3\.4/);
    expect(kept).toEqual([]);
    expect(await sendMail(port, { to, raw: mailOf('x'.repeat(900)) })).toMatch(/^250 /);
  });

  it('that has passed more than a hundred servers is refused as a loop', async () => {
    const { port, kept } = await listen();
    const passed = (times: number) => Buffer.from(`${'Received: from a by b\r\n'.repeat(times)}\r\nReceived: no\r\n`);
    expect(await sendMail(port, { to, raw: passed(101) })).toMatch(/^554 /);
    expect(await sendMail(port, { to, raw: passed(100) })).toMatch(/^250 /);
    expect(kept).toHaveLength(1);
  });

  it('that cannot be stored gets a 451, and its bytes no longer count', async () => {
    let isFull = true;
    const { port, log } = await listen({
      limits: { underWayBytesMax: 1_500 },
      keep: async () => {
        if (isFull) throw new Error('no space left on device');
      },
    });
    const raw = mailOf('x'.repeat(1_000));
    expect(await sendMail(port, { to, raw })).toMatch(/^451 /);
    expect(log.warn.mock.calls.at(-1)?.[1]).toMatch(/could not be stored/);
    isFull = false;
    expect(await sendMail(port, { to, raw })).toMatch(/^250 /);
  });

  it('that exceeds the shared limit gets a 452 until other mails are done', async () => {
    const [begun, stored] = [promised<void>(), promised<void>()];
    const keep = () => {
      begun.settle();
      return stored.promise;
    };
    const { port, client } = await listen({ limits: { underWayBytesMax: 1_500 }, keep });
    const raw = mailOf('x'.repeat(1_000));
    const first = sendMail(port, { to, raw });
    await begun.promise;
    const opened = await client();
    expect(await opened.say('MAIL FROM:<a@example.org> SIZE=1000')).toMatch(/^452 /);
    expect(await sendMail(port, { to, raw })).toMatch(/^452 /);
    stored.settle();
    expect(await first).toMatch(/^250 /);
    expect(await opened.say('MAIL FROM:<a@example.org> SIZE=1000')).toMatch(/^250 /);
  });

  it('that breaks off is not stored, and its bytes no longer count', async () => {
    const { port, client, kept, log } = await listen({ limits: { underWayBytesMax: 1_500 } });
    const opened = await client();
    for (const line of ['MAIL FROM:<a@example.org>', 'RCPT TO:<a@example.com>', 'DATA']) await opened.say(line);
    opened.send(mailOf('x'.repeat(1_000)));
    opened.hangUp();
    await expect.poll(() => sendMail(port, { to, raw: mailOf('y'.repeat(1_000)) })).toMatch(/^250 /);
    expect(kept).toHaveLength(1);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('that arrives byte by byte is complete', async () => {
    const { client, kept } = await listen();
    const opened = await client();
    for (const line of ['MAIL FROM:<a@example.org>', 'RCPT TO:<a@example.com>', 'DATA']) await opened.say(line);
    const raw = mailOf('.a\r\n..b\r\n.\n.\r.\r\nend');
    for (const byte of stuffed(raw)) {
      opened.send(Uint8Array.of(byte));
      await pause(0);
    }
    expect(await opened.answer()).toMatch(/^250 /);
    expect(kept[0]?.bytes).toEqual(Buffer.concat([raw, Buffer.from('\r\n')]));
  });
});

describe('a client', () => {
  it('learns which mailboxes do not exist, but may not guess for long', async () => {
    const { client } = await listen({ limits: { refusedMax: 2 } });
    const opened = await client();
    await opened.say('MAIL FROM:<a@example.org>');
    expect(await opened.say('RCPT TO:<a@example.net>')).toMatch(/^550 5\.1\.1/);
    expect(await opened.say('RCPT TO:<a@example.com>')).toMatch(/^250 /);
    expect(await opened.say('RCPT TO:<b@example.net>')).toMatch(/^550 /);
    expect(await opened.say('RCPT TO:<c@example.net>')).toMatch(/^421 /);
    expect(await opened.answer()).toBe('closed');
  });

  it('is told to try again later when the mailboxes cannot be looked up', async () => {
    const keeper = {
      isKnown: () => Promise.reject(new Error('connect ECONNREFUSED')),
      keep: () => Promise.reject(new Error('unreachable')),
    };
    const { client } = await listen({ keeper });
    const opened = await client();
    await opened.say('MAIL FROM:<a@example.org>');
    expect(await opened.say('RCPT TO:<a@example.com>')).toMatch(/^451 /);
    expect(await opened.say('DATA')).toMatch(/^503 /);
  });

  it('cannot sign in, and cannot send XCLIENT', async () => {
    const { client } = await listen();
    const opened = await client();
    expect(await opened.say('EHLO x')).not.toMatch(/AUTH|XCLIENT/);
    expect(await opened.say('AUTH PLAIN AGEAYg==')).toMatch(/^500 /);
    expect(await opened.say('XCLIENT ADDR=127.0.0.1')).toMatch(/^5/);
  });

  it('may name only a limited number of recipients', async () => {
    const { client } = await listen({ limits: { recipientsMax: 2 } });
    const opened = await client();
    await opened.say('MAIL FROM:<a@example.org>');
    for (const name of ['a', 'b']) expect(await opened.say(`RCPT TO:<${name}@example.com>`)).toMatch(/^250 /);
    expect(await opened.say('RCPT TO:<c@example.com>')).toMatch(/^452 /);
  });

  /** Reads the answers in order until the connection ends, so that the test does not depend on the machine's speed. */
  async function heardBy(port: number, lines: string[], onHeard: (client: SmtpClient) => void = () => {}) {
    const opened = await openSmtpClient(port);
    closers.push(() => opened.hangUp());
    const heard: string[] = [];
    for (const line of lines) heard.push(await opened.say(line));
    onHeard(opened);
    while (heard.at(-1) !== 'closed') heard.push(await opened.answer());
    return heard.map((answer) => answer.slice(0, 3));
  }

  it.each([
    ['says nothing', { silentSecondsMax: 0.2 }],
    ['stays too long', { sessionSecondsMax: 0.2 }],
    ['begins no mail', { firstMailSecondsMax: 0.2 }],
  ])('that %s is hung up on', async (_what, limits) => {
    const { port } = await listen({ limits });
    expect(await heardBy(port, [])).toContain('421');
  });

  it('that sends a mail byte by byte is disconnected', async () => {
    const { port, kept } = await listen({ limits: { sessionSecondsMax: 0.5 } });
    const lines = ['EHLO x', 'MAIL FROM:<a@example.org>', 'RCPT TO:<a@example.com>', 'DATA'];
    const heard = await heardBy(port, lines, (opened) => {
      const dropping = setInterval(() => opened.send('x'), 20);
      closers.push(() => clearInterval(dropping));
    });
    expect(heard).toContain('421');
    expect(kept).toEqual([]);
  });

  it.each([
    ['garbage', Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7) % 256))],
    ['an endless line', Buffer.alloc(100_000, 'A')],
    ['HTTP', Buffer.from('POST / HTTP/1.1\r\nHost: a\r\n\r\n')],
  ])('that sends %s is hung up on, and others are served', async (_what, bytes) => {
    const { client, port } = await listen();
    const opened = await client();
    opened.send(bytes);
    let answer = '';
    while (answer !== 'closed') {
      opened.send('more\r\n');
      answer = await opened.answer();
    }
    expect(await sendMail(port, { to, raw: mailOf('Hello') })).toMatch(/^250 /);
  });

  it('that has begun a mail may take longer than the limit for the first mail', async () => {
    const { client } = await listen({ limits: { firstMailSecondsMax: 0.2, silentSecondsMax: 0.5 } });
    const opened = await client();
    await opened.say('MAIL FROM:<a@example.org>');
    expect(await opened.answer()).toMatch(/^421 \S+ Timeout/);
  });

  it('from an address with ten connections is told to try again later, and others are served', async () => {
    let address = 'a';
    const { client } = await listen({ sourceOf: () => address });
    const greeted = Array.from({ length: 10 }, client);
    await Promise.all(greeted);
    const next = await client();
    expect(await next.answer()).toMatch(/^(421 |closed)/);
    address = 'b';
    const other = await client();
    expect(await other.say('MAIL FROM:<a@example.org>')).toMatch(/^250 /);
  });
});

describe('a listener that closes', () => {
  it('finishes the mail in progress, and tells waiting clients to try again later', async () => {
    const stored = promised<void>();
    const { port, client, close } = await listen({ keep: () => stored.promise, limits: { closeSecondsMax: 5 } });
    const [sender, idle] = [await client(), await client()];
    for (const line of ['MAIL FROM:<a@example.org>', 'RCPT TO:<a@example.com>', 'DATA']) await sender.say(line);
    sender.send('Subject: x\r\n');
    const closed = close();
    expect(await idle.answer()).toMatch(/^421 /);
    sender.send('\r\nHello\r\n.\r\n');
    stored.settle();
    expect(await sender.answer()).toMatch(/^250 /);
    expect(await sender.answer()).toMatch(/^421 /);
    await closed;
    await expect(sendMail(port, { to, raw: mailOf('late') })).resolves.toBe('closed');
  });

  it('does not wait forever', async () => {
    const { client, close } = await listen();
    const opened = await client();
    for (const line of ['MAIL FROM:<a@example.org>', 'RCPT TO:<a@example.com>', 'DATA']) await opened.say(line);
    opened.send('Subject: x\r\n');
    await close();
    expect(await opened.answer()).toMatch(/^421 /);
  });
});

it('accepts quoted local parts, which may contain blanks and an @', async () => {
  const { port, kept } = await listen();
  for (const from of ['"john smith"@example.org', '"a@b>"@example.org', '"john"@example.org'])
    expect(await sendMail(port, { from, to: ['"eva"@example.com'], raw: Buffer.from('Subject: x\r\n\r\nx') })).toMatch(
      /^250 /,
    );
  expect(kept.map(({ from, to }) => [from, to])).toEqual([
    ['"john smith"@example.org', ['eva@example.com']],
    ['"a@b>"@example.org', ['eva@example.com']],
    ['john@example.org', ['eva@example.com']],
  ]);
});
