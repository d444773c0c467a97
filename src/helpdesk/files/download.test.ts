import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails } from '../../../test/worlds/mails.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
const content = '0123456789abcdef';

/** A ticket created by a mail with one attachment. */
async function withAttachment(fileName = 'notes.html', type = 'text/html') {
  const owner = await makeOwner(house);
  const raw = Buffer.from(
    [
      'From: ann@example.org',
      'Subject: A file',
      'Message-ID: <f@example.org>',
      `Content-Type: multipart/mixed; boundary=b`,
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'See the file.',
      '--b',
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${fileName}"`,
      '',
      content,
      '--b--',
    ].join('\r\n'),
  );
  const { workspaceId } = owner;
  const source = { workspaceId, origin: 'live', via: 'smtp', mailboxId: null, receivedAt: new Date() } as const;
  await ingestMails(house.app, source, [raw]);
  const [{ id }] = (await owner.call('GET', '/tickets')).body;
  const [message] = (await owner.call('GET', `/tickets/${id}`)).body.messages;
  return { owner, raw, message, attachment: message.attachments[0] };
}

const fetchFile = (person: Person, id: string, headers: Record<string, string> = {}, method = 'GET') =>
  person.call(method, `/attachments/${id}`, undefined, headers);

describe('an attachment', () => {
  it('is downloaded whole, for saving instead of showing', async () => {
    const { owner, attachment } = await withAttachment();
    const { status, body, headers } = await fetchFile(owner, attachment.id);
    expect([status, body]).toEqual([200, content]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': '16',
      'content-disposition': 'attachment; filename="notes.html"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'accept-ranges': 'bytes',
      etag: `"${attachment.sha256}"`,
    });
  });

  it.each(['text/javascript', 'application/javascript', 'application/x-ecmascript', 'text/jscript', 'text/css'])(
    'of type %s is served as text, which no page of the service can run or apply',
    async (type) => {
      const { owner, attachment } = await withAttachment('code.txt', type);
      const file = await fetchFile(owner, attachment.id);
      expect(file.headers.get('content-type')).toMatch(/^text\/plain\b/);
      const { pathname, search } = new URL(attachment.url);
      const shown = await fetch(`${house.url}${pathname}${search}`);
      expect(shown.headers.get('content-type')).toMatch(/^text\/plain\b/);
    },
  );

  it('is downloaded in parts', async () => {
    const { owner, attachment } = await withAttachment();
    const part = await fetchFile(owner, attachment.id, { range: 'bytes=2-5' });
    expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, '2345', 'bytes 2-5/16']);
    const end = await fetchFile(owner, attachment.id, { range: 'bytes=-3' });
    expect([end.status, end.body]).toEqual([206, 'def']);
    const beyond = await fetchFile(owner, attachment.id, { range: 'bytes=16-' });
    expect([beyond.status, beyond.body.key, beyond.headers.get('content-range')]).toEqual([
      416,
      'request.range_not_satisfiable',
      'bytes */16',
    ]);
    const changed = await fetchFile(owner, attachment.id, { range: 'bytes=2-5', 'if-range': '"other"' });
    expect([changed.status, changed.body]).toEqual([200, content]);
  });

  it('is not sent again to a client that has it', async () => {
    const { owner, attachment } = await withAttachment();
    const { status, body } = await fetchFile(owner, attachment.id, { 'if-none-match': `"${attachment.sha256}"` });
    expect([status, body]).toEqual([304, '']);
  });

  it('keeps a non-ASCII name', async () => {
    const { owner, attachment } = await withAttachment('Zażółć.pdf', 'application/pdf');
    const { headers } = await fetchFile(owner, attachment.id);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Za____.pdf"; filename*=UTF-8''Za%C5%BC%C3%B3%C5%82%C4%87.pdf`,
    );
  });

  it('of another workspace is not found', async () => {
    const { attachment, message } = await withAttachment();
    const stranger = await makeOwner(house);
    expect(await fetchFile(stranger, attachment.id)).toMatchObject({
      status: 404,
      body: { key: 'attachment.not_found' },
    });
    expect(await fetchFile(stranger, newId())).toMatchObject({ status: 404 });
    expect(await stranger.call('GET', `/messages/${message.id}/raw`)).toMatchObject({
      status: 404,
      body: { key: 'message.not_found' },
    });
  });
});

describe('the mail of a message', () => {
  it('is downloaded byte for byte', async () => {
    const { owner, message, raw } = await withAttachment();
    const { status, body, headers } = await owner.call('GET', `/messages/${message.id}/raw`);
    expect([status, body]).toEqual([200, raw.toString()]);
    expect(headers.get('content-type')).toBe('message/rfc822');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${message.id}.eml"`);
  });

  it('that could not be read is listed as quarantined, newest first, in pages', async () => {
    const owner = await makeOwner(house);
    const { workspaceId } = owner;
    const source = { workspaceId, origin: 'live', via: 'smtp', mailboxId: null, receivedAt: new Date() } as const;
    await ingestMails(house.app, source, [Buffer.alloc(0)]);
    await ingestMails(house.app, source, [Buffer.from('\0\0')]);
    const first = (await owner.call('GET', '/mail/quarantine?limit=1')).body;
    const second = (await owner.call('GET', `/mail/quarantine?limit=1&cursor=${first.nextCursor}`)).body;
    expect(first.items).toMatchObject([{ size: 2, reason: expect.stringMatching(/zero bytes/) }]);
    expect(second).toEqual({ items: [expect.objectContaining({ size: 0, ticketId: expect.any(String) })] });
    const raw = await owner.call('GET', `/messages/${first.items[0].messageId}/raw`);
    expect([raw.status, raw.body]).toEqual([200, '\0\0']);
  });
});
