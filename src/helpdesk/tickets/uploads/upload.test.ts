import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import {
  breakOff,
  formOf,
  formWith,
  keptFiles,
  sendForm,
  type UploadParts,
  upload,
} from '../../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';

const house = useHouse();
const bytesMax = 25 * 1024 * 1024;
let owner: Person;
let ticketId: string;

async function makeTicket(): Promise<string> {
  return (await owner.call('POST', '/tickets', { subject: 'Files', body: 'b' })).body.id;
}

beforeAll(async () => {
  owner = await makeOwner(house);
  ticketId = await makeTicket();
});

const send = (parts?: UploadParts) => upload(house, owner, ticketId, parts);
/** Everything stored that a refused upload must not change. */
const traces = async () => {
  const { attachments } = await house.app.db.one<{ attachments: number }>(sql`
    select count(*) as attachments from attachments`);
  return { files: (await keptFiles(house)).sort(), attachments };
};

describe('an upload', () => {
  test('is stored, can be downloaded, and goes with the message that takes it', async () => {
    const content = randomBytes(300_000);
    const { status, body } = await send({ name: 'data.bin', type: 'application/octet-stream', content });
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        fileName: 'data.bin',
        contentType: 'application/octet-stream',
        size: 300_000,
        sha256,
        contentId: `${body.id.replaceAll('-', '')}@kontor`,
        isInline: false,
        createdAt: expect.any(String),
        url: expect.stringContaining(body.id),
      },
    ]);
    const path = `/v1/workspaces/${owner.workspaceId}/attachments/${body.id}`;
    const download = await fetch(`${house.url}${path}`, {
      headers: { authorization: `Bearer ${owner.token}`, 'x-workspace-id': owner.workspaceId },
    });
    expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true);

    const take = { body: 'See the file.', attachmentIds: [body.id] };
    const message = await owner.call('POST', `/tickets/${ticketId}/messages`, take);
    expect(message.body.attachments).toMatchObject([{ id: body.id, sha256, createdAt: body.createdAt }]);
    expect((await owner.call('POST', `/tickets/${ticketId}/messages`, take)).status).toBe(400);
  });

  test('of the same bytes is another attachment over one file', async () => {
    const [first, second] = [await send({ name: 'a.txt' }), await send({ name: 'b.txt' })];
    expect(first.body.id).not.toBe(second.body.id);
    expect((await keptFiles(house)).filter((path) => path.endsWith(first.body.sha256))).toHaveLength(1);
    expect((await owner.call('GET', `/attachments/${second.body.id}`)).body).toBe('Some notes.');
  });

  test('may be empty', async () => {
    const { status, body } = await send({ content: '' });
    expect([status, body.size]).toEqual([201, 0]);
    expect(await owner.call('GET', `/attachments/${body.id}`)).toMatchObject({ status: 200, body: '' });
  });

  test('cannot be taken on another ticket, nor seen from another workspace', async () => {
    const { body } = await send();
    const take = { body: 'x', attachmentIds: [body.id] };
    expect((await owner.call('POST', `/tickets/${await makeTicket()}/messages`, take)).status).toBe(400);
    const stranger = await makeOwner(house);
    expect((await stranger.call('GET', `/attachments/${body.id}`)).status).toBe(404);
    expect((await upload(house, stranger, ticketId)).body.key).toBe('ticket.not_found');
  });

  test('repeated with its Idempotency-Key gets the stored answer; other bytes are another request', async () => {
    const headers = { 'idempotency-key': newId() };
    const first = await send({ headers });
    const again = await send({ headers });
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const other of [{ content: 'Other notes.' }, { name: 'other.txt' }])
      expect((await send({ ...other, headers })).body.key).toBe('idempotency.key_reused');
  });

  test('of the same bytes ten times at once makes ten attachments', async () => {
    const content = randomBytes(200_000);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send({ content })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(10);
    expect((await keptFiles(house)).filter((path) => path.endsWith(answers[0]?.body.sha256))).toHaveLength(1);
  });
  test('during a merge of its ticket comes along or is refused, and is never left behind', async () => {
    for (let round = 0; round < 10; round++) {
      const sourceTicketId = await makeTicket();
      const [merged, answer] = await Promise.all([
        owner.call('POST', `/tickets/${sourceTicketId}/merge`, { targetTicketId: ticketId }),
        upload(house, owner, sourceTicketId),
      ]);
      expect(merged.status).toBe(200);
      if (answer.status === 201) {
        const take = { body: 'x', attachmentIds: [answer.body.id] };
        expect((await owner.call('POST', `/tickets/${ticketId}/messages`, take)).status).toBe(201);
      } else expect(answer.body.key).toBe('ticket.merged');
    }
  });
});

describe('a file name from a stranger', () => {
  test.each([
    ['../../x', 'x'],
    ['..\\\\..\\\\x', 'x'],
    ['/etc/passwd', 'passwd'],
    ['a%0D%0Ab.txt', 'ab.txt'],
    ['a%22b.txt', 'a"b.txt'],
    ['x'.repeat(5_000), 'x'.repeat(255)],
    ['bill\u202Efdp.exe', 'billfdp.exe'],
    ['..', 'file'],
    ['', 'file'],
    ['Zażółć.pdf', 'Zażółć.pdf'],
  ])('%j is harmless in storage and headers', async (name, expected) => {
    const { status, body } = await send({ name });
    expect([status, body.fileName]).toEqual([201, expected]);
    const download = await owner.call('GET', `/attachments/${body.id}`);
    const disposition = download.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(
      /^attachment; filename="[ !#$&-[\]-~]+"(; filename\*=UTF-8''[A-Za-z0-9%._~!#$&+^`|-]+)?$/,
    );
    const isHash = (path: string) => /[/\\][0-9a-f-]{36}[/\\][0-9a-f]{2}[/\\][0-9a-f]{64}$/.test(path);
    expect((await keptFiles(house)).filter((path) => !isHash(path))).toEqual([]);
  });

  test('with a line break makes no header', async () => {
    const { status, body } = await send({ name: 'a\r\nSet-Cookie: b' });
    expect([status, body.fileName]).toEqual([201, 'a']);
    const { headers } = await owner.call('GET', `/attachments/${body.id}`);
    expect(headers.get('set-cookie')).toBeNull();
  });
});

describe('the content type of a file', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  test.each([
    ['a picture that says it is a page', png, 'text/html', 'image/png'],
    ['text', 'Plain.', 'text/plain; charset=utf-8', 'text/plain'],
    ['a page', '<script>1</script>', 'text/html', 'text/html'],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'image/svg+xml'],
    ['a drawing with its prolog', '<?xml version="1.0"?><svg/>', 'image/svg+xml', 'image/svg+xml'],
    ['bytes that say they are text', Buffer.from([1, 0, 2]), 'text/plain', 'application/octet-stream'],
    ['text that says it is a picture', 'Plain.', 'image/png', 'application/octet-stream'],
    ['rubbish', 'Plain.', 'a b/c;d', 'application/octet-stream'],
  ])('%s is told by its bytes', async (_what, content, type, expected) => {
    expect((await send({ content, type })).body.contentType).toBe(expected);
  });
});

describe('an upload is refused and leaves nothing', () => {
  test('when it is one byte too large, with and without an announced length', async () => {
    const before = await traces();
    const form = formOf({ content: Buffer.alloc(bytesMax + 1, 'x') });
    const said = await sendForm(house, owner, ticketId, form);
    expect([said.status, said.body.key]).toEqual([413, 'request.too_large']);
    const path = `/v1/workspaces/${owner.workspaceId}/tickets/${ticketId}/attachments`;
    const streamed = await fetch(`${house.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'x-workspace-id': owner.workspaceId,
        'content-type': 'multipart/form-data; boundary=the-boundary',
      },
      body: new Blob([form]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
    expect(await traces()).toEqual(before);
  });

  test('when it is far too large, before its body is sent', async () => {
    const answer = await sendForm(house, owner, ticketId, formOf({ content: Buffer.alloc(bytesMax + 100_000) }));
    expect(answer.status).toBe(413);
  });

  test('when it breaks off', async () => {
    const before = await traces();
    await breakOff(house, owner, ticketId, formOf({ content: randomBytes(1_000_000) }));
    await expect.poll(traces).toEqual(before);
  });

  test('when its ticket is unknown or merged, before it is read', async () => {
    const before = await traces();
    const content = Buffer.alloc(1_000_000, 'y');
    expect((await upload(house, owner, newId(), { content })).body.key).toBe('ticket.not_found');
    const mergedId = await makeTicket();
    await owner.call('POST', `/tickets/${mergedId}/merge`, { targetTicketId: ticketId });
    const merged = await upload(house, owner, mergedId, { content });
    expect([merged.status, merged.body.key, merged.body.params]).toEqual([
      409,
      'ticket.merged',
      { mergedIntoId: ticketId },
    ]);
    expect(await traces()).toEqual(before);
  });

  const file = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
  test.each([
    ['no part', formWith(), 'body.file'],
    ['two files', formWith(file, 'a', file, 'b'), 'body.file'],
    [
      'a file of another name',
      formWith('Content-Disposition: form-data; name="data"; filename="a.txt"', 'a'),
      'body.file',
    ],
    ['a field instead of a file', formWith('Content-Disposition: form-data; name="file"', 'a'), 'body.file'],
    ['a form without its end', formOf().subarray(0, -10), 'body'],
    ['no form at all', Buffer.from('{}'), 'body'],
    ['an evil name of a field', formWith('Content-Disposition: form-data; name="__proto__"', 'a', file, 'a'), 'body'],
  ])('when it has %s', async (_what, form, path) => {
    const before = await traces();
    const { status, body } = await sendForm(house, owner, ticketId, form);
    expect([status, body.key, body.params.issues?.[0].path]).toEqual([400, 'request.invalid', path]);
    expect(await traces()).toEqual(before);
  });

  test('when it has very many fields', async () => {
    const fields = Array.from({ length: 30 }, (_, at) => [`Content-Disposition: form-data; name="f${at}"`, 'x']).flat();
    const { status } = await sendForm(house, owner, ticketId, formWith(...fields, file, 'a'));
    expect(status).toBe(413);
  });

  test('when it is no form, or has no body', async () => {
    const path = `/tickets/${ticketId}/attachments`;
    expect((await owner.call('POST', path, { file: 'x' })).body.key).toBe('request.unsupported_media_type');
    const empty = await owner.call('POST', path);
    expect([empty.status, empty.body.params.issues[0].path]).toEqual([400, 'body.file']);
    const unbounded = await sendForm(house, owner, ticketId, formOf(), { 'content-type': 'multipart/form-data' });
    expect([unbounded.status, unbounded.body.key]).toEqual([400, 'request.invalid']);
  });

  test('when the caller may not write', async () => {
    const before = await traces();
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    const content = Buffer.alloc(3_000_000, 'z');
    expect((await upload(house, viewer, ticketId, { content })).body.key).toBe('auth.role_insufficient');
    expect(await traces()).toEqual(before);
  });

  test('other fields of the form are ignored', async () => {
    const form = formWith('Content-Disposition: form-data; name="note"', 'hello', file, 'a');
    expect((await sendForm(house, owner, ticketId, form)).status).toBe(201);
  });
});
