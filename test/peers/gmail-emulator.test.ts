import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openGmailEmulator } from '../../emulators/gmail.ts';

const gmail = await openGmailEmulator({ now: () => new Date('2026-11-20T10:00:00Z') });
afterAll(() => gmail.close());

let address = '';
let refreshToken = '';
let token = '';
let made = 0;
beforeEach(async () => {
  gmail.clearFaults();
  gmail.configure({ rewritesMessageIds: true, unitsPerMinute: 6_000, hidesHistoryLabels: false });
  made++;
  ({ address, refreshToken } = gmail.addMailbox({ address: `help-${made}@kontor.example` }));
  token = (await refresh()).body.access_token;
});

async function post(path: string, form: Record<string, string>) {
  const response = await fetch(`${gmail.url}${path}`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, body: (await response.json()) as any };
}
const client = { client_id: 'client-of-kontor', client_secret: 'secret-of-kontor' };
const refresh = () => post('/token', { ...client, grant_type: 'refresh_token', refresh_token: refreshToken });

async function call(
  method: string,
  path: string,
  body?: object | string | Buffer,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${gmail.url}${path.startsWith('/upload') ? '' : '/gmail/v1/users/me'}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && {
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}
const profile = async () => (await call('GET', '/profile')).body;
const historySince = async (id: string, query = '') =>
  (await call('GET', `/history?startHistoryId=${id}${query}`)).body;
const rawOf = (headers: Record<string, string>, text = 'Yes.') =>
  Buffer.from(
    `${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${text}\r\n`,
  );
const send = (raw: Buffer, threadId?: string) =>
  call('POST', '/messages/send', { raw: raw.toString('base64url'), threadId });

describe('consent and tokens', () => {
  test('a code works once, with the verifier and the redirect address of its request', async () => {
    const verifier = 'a-verifier-of-forty-three-characters-or-more-';
    const redirect_uri = 'https://kontor.example/back';
    const code = async (more: Record<string, string>) => {
      const query = new URLSearchParams({
        client_id: client.client_id,
        response_type: 'code',
        redirect_uri,
        scope: 'https://www.googleapis.com/auth/gmail.modify openid',
        state: 's 1',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        login_hint: address,
        ...more,
      });
      const answer = await fetch(`${gmail.url}/o/oauth2/v2/auth?${query}`, { redirect: 'manual' });
      const to = new URL(answer.headers.get('location') ?? '');
      expect(to.searchParams.get('state')).toBe('s 1');
      return to.searchParams.get('code') ?? '';
    };
    const redeem = (code: string, code_verifier = verifier) =>
      post('/token', { ...client, grant_type: 'authorization_code', redirect_uri, code, code_verifier });
    const offline = { access_type: 'offline', prompt: 'consent' };
    const once = await code(offline);
    expect((await redeem(once)).body).toMatchObject({ expires_in: 3599, refresh_token: expect.any(String) });
    expect((await redeem(once)).body.error).toBe('invalid_grant');
    expect((await redeem(await code(offline), 'another')).body.error).toBe('invalid_grant');
    expect((await redeem(await code({}))).body).not.toHaveProperty('refresh_token');
  });

  test('a refresh gives no new refresh token, access tokens expire, a revoked consent is invalid_grant', async () => {
    expect((await refresh()).body).not.toHaveProperty('refresh_token');
    gmail.expireAccess(address);
    const expired = await call('GET', '/profile');
    expect(expired).toMatchObject({ status: 401, body: { error: { errors: [{ reason: 'authError' }] } } });
    gmail.revoke(address);
    expect(await refresh()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await post('/token', { ...client, client_secret: 'no' })).toMatchObject({ status: 401 });
  });

  test('a user who consents to fewer scopes may do less', async () => {
    refreshToken = gmail.addMailbox({
      address,
      scopes: ['https://www.googleapis.com/auth/gmail.readonly'],
    }).refreshToken;
    token = (await refresh()).body.access_token;
    expect((await call('GET', '/profile')).status).toBe(200);
    const { status, body } = await send(rawOf({ To: 'cora@example.com' }));
    expect([status, body.error.errors[0].reason]).toEqual([403, 'insufficientPermissions']);
  });
});

describe('history', () => {
  test('history lists arrivals, moves and deletions page by page, and nothing without changes', async () => {
    const { historyId } = await profile();
    expect(await historySince(historyId)).toEqual({ historyId });
    const junk = await gmail.deliver(address, {}, { labelIds: ['SPAM', 'UNREAD'] });
    gmail.relabel(address, junk.id, { add: ['INBOX'], remove: ['SPAM'] });
    gmail.remove(address, junk.id);
    const types = '&historyTypes=messageAdded&historyTypes=labelAdded&maxResults=1';
    const first = await historySince(historyId, types);
    expect(first.history[0].messagesAdded[0].message.labelIds).toEqual(['SPAM', 'UNREAD']);
    const second = await historySince(historyId, `${types}&pageToken=${first.nextPageToken}`);
    expect(second.history[0].labelsAdded[0].labelIds).toEqual(['INBOX']);
    expect(second).not.toHaveProperty('nextPageToken');
    const all = await historySince(historyId);
    expect(all.history.map((record: object) => Object.keys(record).slice(2))).toEqual([
      ['messagesAdded'],
      ['labelsAdded', 'labelsRemoved'],
      ['messagesDeleted'],
    ]);
    expect((await call('GET', `/messages/${junk.id}`)).status).toBe(404);
    expect((await call('GET', '/history?startHistoryId=1&pageToken=x')).status).toBe(400);
    gmail.configure({ hidesHistoryLabels: true });
    const { id, threadId } = junk;
    expect((await historySince(historyId)).history[0].messagesAdded).toEqual([{ message: { id, threadId } }]);
    gmail.setHistoryFloor(address, 'now');
    expect((await call('GET', `/history?startHistoryId=${historyId}`)).status).toBe(404);
  });
});

describe('messages', () => {
  test('a mail comes in three formats', async () => {
    const { id } = await gmail.deliver(address, { text: 'Hello' });
    const shown = async (query: string) => (await call('GET', `/messages/${id}?${query}`)).body;
    const [mail] = gmail.mails(address);
    expect(Buffer.from((await shown('format=raw')).raw, 'base64url')).toEqual(mail?.raw);
    expect(await shown('format=minimal')).not.toHaveProperty('payload');
    const metadata = await shown('format=metadata&metadataHeaders=message-id');
    expect(metadata.payload.headers).toEqual([{ name: 'Message-ID', value: `<${mail?.head.messageId}>` }]);
  });

  test('mail is listed newest first by label and search, page by page', async () => {
    const at = (day: number) => ({ receivedAt: `2026-11-0${day}T00:00:00Z` });
    const [old, late] = [await gmail.deliver(address, {}, at(1)), await gmail.deliver(address, {}, at(3))];
    const middle = await gmail.deliver(address, { messageId: 'some@id.example' }, at(2));
    await gmail.deliver(address, {}, { labelIds: ['SPAM'] });
    const list = async (query: string) => (await call('GET', `/messages?${query}`)).body;
    const ids = async (q: string) =>
      ((await list(`q=${encodeURIComponent(q)}`)).messages ?? []).map((mail: { id: string }) => mail.id);
    const first = await list('maxResults=2&labelIds=INBOX');
    expect(first.messages.map(({ id }: { id: string }) => id)).toEqual([late.id, middle.id]);
    gmail.remove(address, late.id);
    const second = await list(`maxResults=2&labelIds=INBOX&pageToken=${first.nextPageToken}`);
    expect(second.messages).toEqual([{ id: old.id, threadId: old.threadId }]);
    expect(await ids(`after:${Date.parse('2026-11-02T00:00:00Z') / 1000} {in:inbox in:sent}`)).toEqual([middle.id]);
    expect(await ids('rfc822msgid:<some@id.example>')).toEqual([middle.id]);
    expect(await ids('in:sent OR subject:nothing')).toEqual([]);
    expect(await ids('-in:inbox in:anywhere')).toHaveLength(1);
  });
});

describe('sending', () => {
  test('a sent mail joins a thread if thread, header and subject match; its Message-ID is Google’s', async () => {
    const question = await gmail.deliver(address, { subject: 'Invoice', from: 'cora@example.com' });
    const answer = {
      From: address,
      To: 'cora@example.com',
      Bcc: 'boss@example.com',
      Subject: 'Re: Invoice',
      'Message-ID': '<ours@kontor.example>',
      'In-Reply-To': `<${question.messageId}>`,
    };
    const { historyId } = await profile();
    const sent = (await send(rawOf(answer), question.threadId)).body;
    expect(sent).toEqual({ id: expect.any(String), threadId: question.threadId, labelIds: ['SENT'] });
    expect((await historySince(historyId)).history).toHaveLength(1);
    expect((await send(rawOf({ ...answer, Subject: 'Other' }), question.threadId)).body.threadId).not.toBe(
      sent.threadId,
    );
    expect((await send(rawOf({ ...answer, 'In-Reply-To': '<x@y>' }), question.threadId)).body.threadId).not.toBe(
      sent.threadId,
    );
    expect((await send(rawOf(answer))).body.threadId).not.toBe(sent.threadId);
    const [received] = gmail.received('cora@example.com').filter(({ from }) => from === address);
    expect(received?.raw.toString()).toMatch(/^Message-ID: <[^>]+@mail\.gmail\.com>\r\n/);
    expect(received?.raw.toString()).not.toContain('Bcc');
    const [reply] = await gmail.reply(received?.id ?? '', { text: 'Thank you.' });
    expect(reply).toMatchObject({ address, threadId: question.threadId });
    gmail.configure({ rewritesMessageIds: false });
    const upload = [
      `--b\r\nContent-Type: application/json\r\n\r\n{"threadId":"${question.threadId}"}`,
      `--b\r\nContent-Type: message/rfc822\r\n\r\n${rawOf(answer)}`,
      '--b--',
    ].join('\r\n');
    const path = '/upload/gmail/v1/users/me/messages/send?uploadType=multipart';
    const uploaded = (await call('POST', path, upload, { 'content-type': 'multipart/related; boundary=b' })).body;
    expect(uploaded.threadId).toBe(question.threadId);
    expect(gmail.mails(address).at(-1)?.head.messageId).toBe('ours@kontor.example');
  });

  test('an unsendable mail is refused, and a mail to oneself is in both folders', async () => {
    expect((await call('POST', '/messages/send', { raw: '***' })).status).toBe(400);
    expect((await call('POST', '/messages/send', {})).status).toBe(400);
    expect((await send(rawOf({ Subject: 'To nobody' }))).status).toBe(400);
    const tooLarge = rawOf({ To: address }, 'x'.repeat(25 * 1024 * 1024));
    expect((await call('POST', '/upload/gmail/v1/users/me/messages/send?uploadType=media', tooLarge)).status).toBe(400);
    await send(rawOf({ To: address.replace('@', '+tag@') }));
    expect(gmail.mails(address).map(({ labelIds }) => labelIds)).toEqual([['SENT', 'UNREAD', 'INBOX']]);
  });

  test('a bounce and an absence note come back from addresses with these habits', async () => {
    gmail.setHabit('gone@example.com', 'bounces');
    gmail.setHabit('away@example.com', 'is-absent');
    await send(rawOf({ From: address, To: 'gone@example.com, away@example.com', Subject: 'News' }));
    const [, bounce, absence] = gmail.mails(address).map(({ raw }) => raw.toString());
    expect(bounce).toMatch(/^Return-Path: <>.*report-type=delivery-status.*Action: failed/s);
    expect(absence).toMatch(/Auto-Submitted: auto-replied/);
  });

  test('mails and drafts by hand appear as well', async () => {
    const { threadId, messageId } = await gmail.deliver(address, { subject: 'Order' });
    const draft = await gmail.saveDraft(address, { subject: 'Order', text: 'Begun' });
    expect((await gmail.saveDraft(address, { subject: 'Order' }, draft.id)).id).not.toBe(draft.id);
    const inReplyTo = messageId ?? '';
    expect((await gmail.sendByHand(address, { subject: 'Re: Order', inReplyTo })).threadId).toBe(threadId);
    expect(gmail.mails(address).map(({ labelIds }) => labelIds.at(-1))).toEqual(['INBOX', 'DRAFT', 'SENT']);
  });
});

describe('faults', () => {
  test('requests fail as scripted, also after they took effect', async () => {
    gmail.setFault({ on: 'messages.list', status: 429, reason: 'rateLimitExceeded', retryAfterSeconds: 7 });
    const throttled = await call('GET', '/messages');
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '7']);
    expect(throttled.body.error.errors[0].domain).toBe('usageLimits');
    expect((await call('GET', '/messages')).status).toBe(200);
    gmail.setFault({ on: 'messages.send', address, kind: 'broken', isCarriedOut: true });
    await expect(send(rawOf({ To: 'cora@example.com' }))).rejects.toThrow();
    expect(gmail.mails(address)).toHaveLength(1);
    gmail.setFault({ on: 'token', status: 400, reason: 'invalid_grant' });
    expect((await refresh()).body.error).toBe('invalid_grant');
  });

  test('a mailbox has a quota per minute', async () => {
    gmail.configure({ unitsPerMinute: 10 });
    await gmail.advance(60_000);
    expect((await call('GET', '/messages')).status).toBe(200);
    expect((await call('GET', '/messages')).status).toBe(200);
    const over = await call('GET', '/messages');
    expect(over.body.error.errors[0].reason).toMatch(/^(userR|r)ateLimitExceeded$/);
    await gmail.advance(60_000);
    expect((await call('GET', '/messages')).status).toBe(200);
  });
});

test('HTTP commands steer everything, and the emulator runs on its own', async () => {
  const emulator = spawn(process.execPath, [join(import.meta.dirname, '../../emulators/gmail.ts'), '0']);
  const [line] = await once(createInterface(emulator.stdout), 'line');
  const url = /^MAIL_B_API_URL=(\S+)$/.exec(line)?.[1];
  const command = async (name: string, given: object = {}) => {
    const response = await fetch(`${url}/control/${name}`, { method: 'POST', body: JSON.stringify(given) });
    return (await response.json()) as any;
  };
  const mailbox = { address: 'help@kontor.example' };
  expect(await command('addMailbox', mailbox)).toMatchObject({ refreshToken: expect.any(String) });
  const raw = rawOf({ From: 'cora@example.com' }).toString('base64');
  const { id } = await command('deliver', { ...mailbox, raw });
  expect(await command('mails', mailbox)).toMatchObject([{ id, raw }]);
  expect(await command('deliver', { address: 'nobody@kontor.example' })).toMatchObject({ error: /no mailbox/ });
  emulator.kill();
  await once(emulator, 'exit');
});
