import { describe, expect, it } from 'vitest';
import { openSmtpClient, type SmtpClient, sendMail } from '../../test/peers/smtp-client.ts';
import { useSmtpListeners } from '../../test/worlds/use-smtp-listeners.ts';

const { listen, closeAfter } = useSmtpListeners();

const to = ['support@example.com'];
const mailOf = (body: string) => Buffer.from(`Subject: x\r\n\r\n${body}`);

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
    closeAfter(() => opened.hangUp());
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
      closeAfter(() => clearInterval(dropping));
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
    const stored = Promise.withResolvers<undefined>();
    const { port, client, close } = await listen({ keep: () => stored.promise, limits: { closeSecondsMax: 5 } });
    const [sender, idle] = [await client(), await client()];
    for (const line of ['MAIL FROM:<a@example.org>', 'RCPT TO:<a@example.com>', 'DATA']) await sender.say(line);
    sender.send('Subject: x\r\n');
    const closed = close();
    expect(await idle.answer()).toMatch(/^421 /);
    sender.send('\r\nHello\r\n.\r\n');
    stored.resolve(undefined);
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
