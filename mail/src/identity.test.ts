import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mailFingerprint } from './identity.ts';
import { parseMail } from './parse.ts';

type Parts = { header?: string; encoding?: string; body?: string };

function mail({ header = '', encoding = '', body = 'One\nTwo caf\u00e9\n' }: Parts = {}): string {
  const fields = 'From: Ann <ann@example.com>\nDate: Fri, 20 Nov 2026 20:05:01 +0100\nMessage-ID: <a@example.com>';
  return `${header}${fields}\nContent-Type: text/plain; charset=utf-8\n${encoding}\n${body}`;
}

async function fingerprint(raw: string | Uint8Array): Promise<string> {
  const bytes = Buffer.from(raw);
  return mailFingerprint(await parseMail(bytes), bytes);
}

describe('mailFingerprint', () => {
  it.each([
    ['other Received fields', mail({ header: 'Received: from x by y; Fri, 20 Nov 2026 20:05:03 +0100\n' })],
    ['CRLF line ends', mail().replaceAll('\n', '\r\n')],
    ['trailing blanks', mail({ body: 'One \nTwo caf\u00e9\t\n\n\n' })],
    [
      'quoted-printable',
      mail({ encoding: 'Content-Transfer-Encoding: quoted-printable\n', body: 'One\nTwo caf=C3=A9\n' }),
    ],
    [
      'base64',
      mail({
        encoding: 'Content-Transfer-Encoding: base64\n',
        body: Buffer.from('One\r\nTwo caf\u00e9').toString('base64'),
      }),
    ],
    ['a name in From', mail().replace('Ann <ann@example.com>', 'ANN@example.com')],
    ['the same instant in another zone', mail().replace('20:05:01 +0100', '19:05:01 +0000')],
  ])('is the same for a copy with %s', async (_what, copy) => {
    expect(await fingerprint(copy)).toBe(await fingerprint(mail()));
  });

  it.each([
    ['text', mail({ body: 'One\nThree\n' })],
    ['sender', mail().replace('ann@', 'eve@')],
    ['date', mail().replace('20:05:01', '20:05:02')],
    ['Message-ID', mail().replace('<a@', '<b@')],
    ['line breaks', mail({ body: 'One Two caf\u00e9\n' })],
    ['type', mail().replace('text/plain', 'text/html')],
  ])('differs with another %s', async (_what, other) => {
    expect(await fingerprint(other)).not.toBe(await fingerprint(mail()));
  });

  it('ignores the mbox escape of a From line', async () => {
    expect(await fingerprint(mail({ body: 'x\n>From here\n' }))).toBe(
      await fingerprint(mail({ body: 'x\nFrom here\n' })),
    );
  });

  it('differs with another attachment', async () => {
    const [header = ''] = mail().split('Content-Type');
    const withFile = (content: string) =>
      `${header}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nText\n` +
      `--b\nContent-Type: application/pdf\n\n${content}\n--b--\n`;
    expect(await fingerprint(withFile('x '))).toBe(await fingerprint(withFile('x ')));
    expect(await fingerprint(withFile('x '))).not.toBe(await fingerprint(withFile('x')));
  });

  it('covers the raw bytes when there is no Message-ID', async () => {
    const bare = mail().replace(/Message-ID.*\n/, '');
    expect(await fingerprint(bare)).toBe(await fingerprint(bare));
    expect(await fingerprint(bare)).not.toBe(await fingerprint(bare.replaceAll('\n', '\r\n')));
  });

  it('is a hash for any mail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (body) => {
        expect(await fingerprint(`Message-ID: <a@b>\n\n${body}`)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });
});
