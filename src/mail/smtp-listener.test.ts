import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tlsOptions from 'smtp-server/lib/tls-options.js';
import { describe, expect, it } from 'vitest';
import { sendMail, stuffed } from '../../test/peers/smtp-client.ts';
import { useSmtpListeners } from '../../test/worlds/use-smtp-listeners.ts';

const { listen, folder } = useSmtpListeners();

const to = ['support@example.com'];
const mailOf = (body: string) => Buffer.from(`Subject: x\r\n\r\n${body}`);

describe('a mail that comes in', () => {
  it('is stored byte for byte with its envelope before the answer 250', async () => {
    const stored = Promise.withResolvers<undefined>();
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
    stored.resolve(undefined);
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
    const tls = { certPath: join(folder(), 'cert.pem'), keyPath: join(folder(), 'key.pem') };
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
    const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    const keep = () => {
      begun.resolve();
      return stored.promise;
    };
    const { port, client } = await listen({ limits: { underWayBytesMax: 1_500 }, keep });
    const raw = mailOf('x'.repeat(1_000));
    const first = sendMail(port, { to, raw });
    await begun.promise;
    const opened = await client();
    expect(await opened.say('MAIL FROM:<a@example.org> SIZE=1000')).toMatch(/^452 /);
    expect(await sendMail(port, { to, raw })).toMatch(/^452 /);
    stored.resolve(undefined);
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
