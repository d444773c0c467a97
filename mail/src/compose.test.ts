import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeMail, composeStream, type MailDraft, newMessageId, replyReferences, replySubject } from './compose.ts';
import { parseMail } from './parse.ts';

const DRAFT: MailDraft = {
  from: { name: 'Kontor', email: 'support@example.com' },
  to: [{ name: 'Ann', email: 'ann@example.org' }],
  subject: 'Your question',
  text: 'Hello\n\nBye\n',
  messageId: 'm.1@example.com',
  date: new Date('2026-11-20T19:05:01Z'),
};

async function compose(draft: Partial<MailDraft>) {
  const raw = await composeMail({ ...DRAFT, ...draft });
  return { raw, source: raw.toString('latin1'), mail: await parseMail(raw) };
}

describe('composeMail', () => {
  it.each(['=?utf-8?q?Your_account?= is blocked', `=?utf-8?b?${'SGVsbG8='.repeat(30)}?= 你好`])(
    'preserves the subject %s',
    async (subject) => {
      const { source, mail } = await compose({ subject });
      expect(mail.subject).toBe(subject);
      expect(Math.max(...source.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(78);
    },
  );

  it('writes a plain mail that reads back unchanged', async () => {
    const { mail, source } = await compose({
      cc: [{ name: 'Łukasz, "Ł" Żak', email: 'lukasz@example.org' }],
      replyTo: [{ name: null, email: 'support+x@example.com' }],
      subject: 'Überraschung – 你好 '.repeat(10),
      inReplyTo: 'p.1@example.org',
      references: ['r.1@example.org', 'p.1@example.org'],
    });
    expect(mail).toMatchObject({
      from: DRAFT.from,
      to: DRAFT.to,
      cc: [{ name: 'Łukasz, "Ł" Żak', email: 'lukasz@example.org' }],
      replyTo: [{ name: null, email: 'support+x@example.com' }],
      subject: 'Überraschung – 你好 '.repeat(10).trim(),
      messageId: 'm.1@example.com',
      inReplyTo: ['p.1@example.org'],
      references: ['r.1@example.org', 'p.1@example.org'],
      date: DRAFT.date,
      html: null,
      defects: [],
    });
    expect(mail.text.trimEnd()).toBe('Hello\n\nBye');
    expect(source).not.toMatch(/[^\r]\n/);
    expect(Math.max(...source.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
    expect(source).not.toMatch(/auto-submitted/i);
  });

  it('keeps a long link alone on its line, in quoted-printable and never flowed', async () => {
    const link = `https://example.com/verify-email?token=${'a=b'.repeat(60)}`;
    const { mail, source } = await compose({ text: `Grüße\n\n${link}\n\n.\nFrom here\n`, html: '<p>x</p>' });
    expect(mail.text.split('\n')).toContain(link);
    expect(source).toMatch(/Content-Transfer-Encoding: quoted-printable/i);
    expect(source).not.toMatch(/base64|flowed/i);
  });

  it('marks automatic mail so that no robot answers', async () => {
    const { source } = await compose({ automatic: 'auto-generated' });
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(source).toMatch(/^X-Auto-Response-Suppress: All\r$/m);
  });

  it('writes the unsubscribe address on one line, and offers one click only for HTTPS', async () => {
    const path = `://desk.example/unsubscribe?token=${'0123456789'.repeat(20)}`;
    const headers = async (unsubscribeUrl: string) => {
      const { mail } = await compose({ unsubscribeUrl });
      return mail.headers.flatMap(({ name, value }) => (name.startsWith('list-') ? [`${name}: ${value}`] : []));
    };
    expect(await headers(`https${path}`)).toEqual([
      `list-unsubscribe: <https${path}>`,
      'list-unsubscribe-post: List-Unsubscribe=One-Click',
    ]);
    expect(await headers(`http${path}`)).toEqual([`list-unsubscribe: <http${path}>`]);
    for (const evil of ['https://x\r\nBcc: eve@evil.example', 'https://x>, <y', 'mailto:eve@evil.example'])
      await expect(compose({ unsubscribeUrl: evil })).rejects.toThrow('address');
  });

  it('carries files and the images that the HTML shows', async () => {
    const content = Buffer.from([0, 1, 2, 255]);
    const { mail } = await compose({
      html: '<img src="cid:one@x">',
      attachments: [
        { fileName: 'naïve “file”.pdf', contentType: 'application/pdf', content },
        { fileName: 'one.png', contentType: 'image/png', content, contentId: 'one@x' },
        { fileName: 'mail.eml', contentType: 'message/rfc822', content },
      ],
    });
    expect(new Map(mail.attachments.map((file) => [file.fileName, file]))).toEqual(
      new Map([
        ['one.png', { fileName: 'one.png', contentType: 'image/png', contentId: 'one@x', location: null, content }],
        [
          'naïve “file”.pdf',
          { fileName: 'naïve “file”.pdf', contentType: 'application/pdf', contentId: null, location: null, content },
        ],
        [
          'mail.eml',
          { fileName: 'mail.eml', contentType: 'application/octet-stream', contentId: null, location: null, content },
        ],
      ]),
    );
  });

  it('streams the same mail, and opens each file only when it is needed', async () => {
    const opened: string[] = [];
    const file = (fileName: string) => ({
      fileName,
      contentType: 'text/plain',
      content: async () => {
        opened.push(fileName);
        return Readable.from([Buffer.from(`${fileName} `), Buffer.alloc(2_000_000, 'x')]);
      },
    });
    const open = composeStream({ ...DRAFT, attachments: [file('one'), file('two')] });
    expect(opened).toEqual([]);
    const chunks: Buffer[] = [];
    for await (const chunk of open()) {
      if (chunks.length === 0) expect(opened).toEqual([]);
      chunks.push(chunk);
    }
    expect(opened).toEqual(['one', 'two']);
    const { attachments } = await parseMail(Buffer.concat(chunks));
    expect(attachments.map(({ content }) => content.length)).toEqual([2_000_004, 2_000_004]);
  });

  it('fails the stream when one of its files fails', async () => {
    const content = () => Promise.reject(new Error('the disk is gone'));
    const open = composeStream({ ...DRAFT, attachments: [{ fileName: 'a', contentType: 'text/plain', content }] });
    await expect(open().toArray()).rejects.toThrow('the disk is gone');
  });

  it('encodes names and domains in other scripts', async () => {
    const { mail, raw } = await compose({
      to: [{ name: '山田 太郎', email: 'taro@例え.example' }],
      cc: [{ name: null, email: 'ärger@exämple.org' }],
    });
    expect(mail.to).toEqual([{ name: '山田 太郎', email: 'taro@xn--r8jz45g.example' }]);
    expect(mail.cc).toEqual([{ name: null, email: 'ärger@exämple.org' }]);
    expect(raw.toString()).toMatch(/^To: =\?UTF-8\?/m);
  });

  it('lets nothing break out of a header', async () => {
    const evil = 'x\r\nBcc: eve@evil.example\r\n\r\n<script>';
    const { source, mail } = await compose({
      subject: evil,
      from: { name: evil, email: 'support@example.com' },
      inReplyTo: evil,
      references: [evil, 'fine@example.com'],
      attachments: [{ fileName: evil, contentType: evil, content: Buffer.from('x'), contentId: evil }],
    });
    expect(source).not.toMatch(/^Bcc/im);
    expect(mail.references).toEqual(['fine@example.com']);
    await expect(compose({ to: [{ name: null, email: 'a@b.c\r\nBcc: eve@evil.example' }] })).rejects.toThrow('address');
    await expect(compose({ messageId: 'a@b\r\nBcc: x' })).rejects.toThrow('Message-ID');
    await expect(compose({ to: [] })).rejects.toThrow('recipient');
  });

  it('repeats the Message-ID in our own header on request', async () => {
    const id = newMessageId('example.com', 'abc');
    expect((await compose({ messageId: id, namesOwnId: true })).source).toContain(`X-Kontor-Message-ID: <${id}>`);
    expect((await compose({ messageId: id })).source).not.toContain('X-Kontor');
  });

  it('preserves any text and subject', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(text, text, async (subject, body) => {
        const { mail, raw } = await compose({ subject, text: body });
        const plain = (value: string) => value.replace(/[\x00-\x20\x7f-\x9f\u2028\u2029]+/g, ' ').trim();
        expect(mail.subject).toBe(plain(subject));
        expect(plain(mail.text)).toBe(plain(body));
        expect(raw.every((byte) => byte < 0x80)).toBe(true);
      }),
    );
  });
});

describe('replies', () => {
  it('name the parent last, keep the root and drop ids from the middle', () => {
    const ids = Array.from({ length: 30 }, (_, n) => `r${n}@a`);
    expect(replyReferences({ messageId: 'p@a', inReplyTo: [], references: ids })).toEqual([
      'r0@a',
      ...ids.slice(-9),
      'p@a',
    ]);
    expect(replyReferences({ messageId: 'p@a', inReplyTo: ['q@a'], references: [] })).toEqual(['q@a', 'p@a']);
    expect(replyReferences({ messageId: 'p@a', inReplyTo: ['q@a', 'x@a'], references: [] })).toEqual(['p@a']);
    expect(replyReferences({ messageId: null, inReplyTo: [], references: ['q@a'] })).toEqual(['q@a']);
  });

  it('have only one Re:', () => {
    expect(replySubject('AW: Re: Broken printer')).toBe('Re: Broken printer');
    expect(replySubject('')).toBe('Re:');
  });

  it('have the same Message-ID at every attempt', () => {
    const id = '0190d6a0-1234-7abc-8def-0123456789ab';
    expect(newMessageId('Example.com', id)).toBe('0190d6a012347abc8def0123456789ab@example.com');
    expect(newMessageId('localhost', id)).toMatch(/@localhost\.localdomain$/);
    expect(() => newMessageId('', '')).toThrow('Message-ID');
  });
});
