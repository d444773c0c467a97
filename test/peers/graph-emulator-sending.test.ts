import { expect, onTestFinished, test } from 'vitest';
import { openGraphEmulator } from '../../emulators/graph.ts';
import { support, useGraph } from './graph-client.ts';

const graph = useGraph();
const { ask } = graph;

const mime = (headers = '') =>
  Buffer.from(
    [
      `From: ${support}`,
      'To: Ann <ann@example.com>',
      'Bcc: boss@example.com',
      'Subject: Hi',
      'Message-ID: <own@acme.example>',
      headers,
      'body',
      '',
    ].join('\r\n'),
  ).toString('base64');

test('a draft of MIME keeps its id when it is sent, and gets another Message-ID', async () => {
  const asked = await graph.deliver(support, { subject: 'Hi', messageId: 'asked@example.com' });
  const draft = await ask('POST', '/me/messages', mime('In-Reply-To: <asked@example.com>\r\n'));
  expect(draft).toMatchObject({ status: 201, body: { isDraft: true, conversationId: asked.conversationId } });
  const file = { '@odata.type': '#microsoft.graph.fileAttachment', name: 'ä.txt', contentBytes: 'aGVsbG8=' };
  expect((await ask('POST', `/me/messages/${draft.body.id}/attachments`, file)).status).toBe(201);
  graph.behave({ sentDelayMs: 60_000 });
  expect(await ask('POST', `/me/messages/${draft.body.id}/send`)).toMatchObject({ status: 202, text: '' });
  expect((await ask('GET', `/me/messages/${draft.body.id}`)).status).toBe(404);
  await graph.advance(60_000);
  const { body } = await ask('GET', `/me/messages/${draft.body.id}`);
  expect(body).toMatchObject({ isDraft: false, hasAttachments: true, conversationId: asked.conversationId });
  const [received] = graph.received('ann@example.com');
  expect(body.internetMessageId).toBe(`<${received?.messageId}>`);
  expect(received?.messageId).not.toBe('own@acme.example');
  expect(received?.raw.toString()).not.toContain('boss@example.com');
  expect(graph.received('boss@example.com')).toHaveLength(1);
  const answer = await graph.reply(received?.id ?? '', { text: 'Thanks' });
  expect(answer.conversationId).toBe(asked.conversationId);
});

test('a reply of JSON is threaded by Exchange, which accepts only x- headers, at most five', async () => {
  const asked = await graph.deliver(support, { subject: 'Help', messageId: 'asked@example.com' });
  const { body } = await ask('POST', `/me/messages/${asked.id}/createReply`, { comment: 'Gladly' });
  expect(body).toMatchObject({ subject: 'RE: Help', conversationId: asked.conversationId });
  const { text } = await ask('GET', `/me/messages/${body.id}/$value`);
  expect(text).toContain('In-Reply-To: <asked@example.com>');
  const patched = await ask('PATCH', `/me/messages/${body.id}`, {
    body: { contentType: 'html', content: '<p>Grüße</p>' },
  });
  expect(patched.body.body.content).toContain('Grüße');
  const both = { comment: 'x', message: { body: { contentType: 'text', content: 'y' } } };
  expect((await ask('POST', `/me/messages/${asked.id}/reply`, both)).status).toBe(400);
  const headers = (names: string[]) => ({ internetMessageHeaders: names.map((name) => ({ name, value: '1' })) });
  const refused = async (names: string[]) => (await ask('POST', '/me/messages', headers(names))).body.error?.code;
  expect(await refused(['Auto-Submitted'])).toBe('InvalidInternetMessageHeader');
  expect(await refused(['x-1', 'x-2', 'x-3', 'x-4', 'x-5', 'x-6'])).toBe('InvalidInternetMessageHeaderCollection');
  expect(await refused(['x-1'])).toBeUndefined();
  expect((await ask('POST', '/me/sendMail', 'not base64')).body.error.code).toBe('ErrorMimeContentInvalidBase64String');
});

test('a large file is uploaded in slices, in order and without a token', async () => {
  const draft = await ask('POST', '/me/messages', mime());
  const size = 4_000_000;
  const item = { AttachmentItem: { attachmentType: 'file', name: 'big.bin', size } };
  const { body } = await ask('POST', `/me/messages/${draft.body.id}/attachments/createUploadSession`, item);
  const put = (from: number, to: number, headers = {}) =>
    fetch(body.uploadUrl, {
      method: 'PUT',
      body: new Uint8Array(to - from + 1),
      headers: { 'content-range': `bytes ${from}-${to}/${size}`, ...headers },
    });
  expect((await put(2_000_000, size - 1)).status).toBe(416);
  expect((await put(0, 1_999_999, { authorization: `Bearer ${graph.token}` })).status).toBe(401);
  expect((await (await put(0, 1_999_999)).json()) as object).toMatchObject({ nextExpectedRanges: ['2000000-'] });
  const last = await put(2_000_000, size - 1);
  expect(last.status).toBe(201);
  expect(last.headers.get('location')).toContain('/attachments/');
  const { value } = (await ask('GET', `/me/messages/${draft.body.id}/attachments`)).body;
  expect(value).toMatchObject([{ name: 'big.bin', size }]);
});

test('an accepted mail is sent even if the answer is lost', async () => {
  const draft = await ask('POST', '/me/messages', mime());
  graph.setFault({ on: 'send', status: 504, isCarriedOut: true });
  expect((await ask('POST', `/me/messages/${draft.body.id}/send`)).status).toBe(504);
  await graph.advance(1);
  expect(graph.received('ann@example.com')).toHaveLength(1);
  expect(graph.messages(support, 'sentitems')).toHaveLength(1);
});

test.each([
  ['bounces', 'multipart/report'],
  ['is-absent', 'Auto-Submitted: auto-replied'],
] as const)('a customer whose mail %s says so', async (habit, mark) => {
  graph.setHabit('ann@example.com', habit);
  await ask('POST', '/me/sendMail', mime());
  await expect.poll(() => graph.messages(support, 'inbox'), { timeout: 15_000, interval: 5 }).toHaveLength(1);
  const [answer] = graph.messages(support, 'inbox');
  expect(graph.raw(support, answer?.id ?? '').toString()).toContain(mark);
});

test('mail reaches the inboxes of mailboxes here, also with a plus tag; other mail goes to a callback', async () => {
  const handedOn: string[][] = [];
  const other = await openGraphEmulator({ onOutgoing: (_raw, recipients) => handedOn.push(recipients) });
  onTestFinished(other.close);
  other.addMailbox({ address: support });
  other.addMailbox({ address: 'b@acme.example' });
  const to = ['support+tag@acme.example', 'ann@example.com'];
  await other.sendByHand('b@acme.example', { to, subject: 'Hi', messageId: 'hand@acme.example' });
  expect(other.messages(support)).toMatchObject([{ folder: 'inbox', internetMessageId: '<hand@acme.example>' }]);
  expect(handedOn).toEqual([['ann@example.com']]);
  const [sent] = other.received();
  expect(graph.carry(sent?.raw ?? Buffer.alloc(0), [support])).toHaveLength(1);
});
