/** Connecting servers, trying them, and choosing their folders. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { syncMailbox } from '../../../../test/harness/sync-now.ts';
import { call } from '../../../../test/worlds/factories.ts';
import { ticketsOf } from '../../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../../ground/database/sql.ts';
import { getMailbox } from '../queries.ts';

const { house, server, openDesk } = await useImapMail();
const usual = { ...server.quirks };
beforeEach(() => Object.assign(server.quirks, usual));
type Desk = Awaited<ReturnType<typeof openDesk>>;
const subjectsOf = async ({ owner }: Desk) =>
  (await ticketsOf(owner)).map(({ subject }: { subject: string }) => subject).toSorted();
const signIns = () => server.commands.filter((name) => name === 'LOGIN' || name === 'AUTHENTICATE').length;

test('an address from which the account may not send is refused at once, and nothing is sent', async () => {
  const before = server.submissions.length;
  server.addAccount('other@office.example', 'secret');
  const desk = await openDesk({ username: 'other@office.example' });
  expect(desk.connected).toMatchObject({
    status: 400,
    body: { key: 'mailbox.not_authorized', params: { code: 'from_refused', reason: expect.stringContaining('553') } },
  });
  expect(server.submissions).toHaveLength(before);
});

describe('a test of the servers', () => {
  const testOf = async ({ owner, id }: Desk) => (await owner.call('POST', `/mailboxes/${id}/test`)).body.ends;

  test('tells what both can do', async () => {
    const desk = await openDesk();
    const [imap, smtp] = await testOf(desk);
    expect(imap).toMatchObject({ end: 'imap', ok: true, code: null, reason: null });
    expect(imap.capabilities).toContain('IDLE');
    expect(smtp).toMatchObject({ end: 'smtp', ok: true, milliseconds: expect.any(Number) });
  });

  test('names the fault of each, and tries a refused password at one of them alone', async () => {
    const desk = await openDesk();
    server.quirks.loginRefusal = 'UNAVAILABLE';
    expect(await testOf(desk)).toMatchObject([
      { end: 'imap', ok: false, code: 'unreachable' },
      { end: 'smtp', ok: false },
    ]);
    server.quirks.loginRefusal = null;
    desk.account.password = 'changed';
    server.dropConnections();
    expect(await testOf(desk)).toMatchObject([{ end: 'imap', ok: false, code: 'imap_login' }]);
  });
});

test('a refused password is named where folders and their mail are read', async () => {
  const desk = await openDesk();
  desk.account.password = 'changed';
  server.dropConnections();
  for (const path of ['folders', 'intake'])
    expect(await desk.owner.call('GET', `/mailboxes/${desk.id}/${path}`)).toMatchObject({
      status: 400,
      body: { key: 'mailbox.not_authorized', params: { code: 'imap_login' } },
    });
});

test('wrong passwords of a check count, and a check after three tries none', async () => {
  const desk = await openDesk();
  desk.account.password = 'changed';
  server.dropConnections();
  const check = async () => (await desk.owner.call('POST', `/mailboxes/${desk.id}/check`)).body.steps;
  for (let at = 0; at < 3; at++) expect((await check())[0]).toMatchObject({ name: 'token', ok: false });
  const before = signIns();
  expect((await check())[0]).toMatchObject({ name: 'token', ok: false, detail: expect.stringContaining('Not tried') });
  expect(await desk.owner.call('GET', `/mailboxes/${desk.id}/intake`)).toMatchObject({ status: 429 });
  expect(signIns()).toBe(before);
});

test('a port without TLS is named as such', async () => {
  const { connected } = await openDesk({ imap: { host: server.host, port: server.ports.imap, security: 'tls' } });
  expect(connected).toMatchObject({
    status: 400,
    body: { params: { code: 'tls', reason: expect.stringContaining('does not speak TLS at this port') } },
  });
});

test('three refused passwords in a row stop all attempts for an hour', async () => {
  const desk = await openDesk();
  await desk.owner.call('DELETE', `/mailboxes/${desk.id}`);
  const connect = (password: string) => desk.owner.call('POST', '/mailboxes', { ...desk.body, password });
  for (let time = 0; time < 3; time++) expect(await connect('wrong')).toMatchObject({ status: 400 });
  const before = signIns();
  const paused = await connect('secret');
  expect(paused).toMatchObject({ status: 429, body: { key: 'mailbox.sign_in_paused' } });
  expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(3_500);
  expect(signIns()).toBe(before);
  house.clock.advance(3_600_000);
  expect((await (await renewed(desk)).call('POST', '/mailboxes', desk.body)).status).toBe(201);
});

describe('folders', () => {
  const foldersOf = async ({ owner, id }: Desk) => (await owner.call('GET', `/mailboxes/${id}/folders`)).body.folders;
  const choose = ({ owner, id }: Desk, body: object) => owner.call('PUT', `/mailboxes/${id}/folders`, body);

  test('are listed with their use', async () => {
    const desk = await openDesk();
    expect(await foldersOf(desk)).toEqual(
      expect.arrayContaining([
        { path: 'INBOX', use: 'inbox', isRead: true },
        { path: 'Sent', use: 'sent', isRead: true },
        { path: 'Trash', use: 'trash', isRead: false },
      ]),
    );
  });

  test('are chosen when the mailbox is connected, or later', async () => {
    const account = await openDesk();
    server.addFolder(account.address, 'Orders');
    // As modified UTF-7 has it (RFC 3501 §5.1.3).
    server.addFolder(account.address, 'B&APw-ro &- mehr');
    await account.owner.call('DELETE', `/mailboxes/${account.id}`);
    const body = { ...account.body, inboxPaths: ['Orders'] };
    expect((await account.owner.call('POST', '/mailboxes', { ...body, inboxPaths: ['None'] })).status).toBe(400);
    expect((await account.owner.call('POST', '/mailboxes', body)).status).toBe(201);
    await account.read();
    server.deliver(account.address, { raw: mailOf('Not read') });
    server.deliver(account.address, { raw: mailOf('Ordered'), path: 'Orders' });
    await account.read();
    expect(await subjectsOf(account)).toEqual(['Ordered']);
    expect((await choose(account, { inboxPaths: ['Nowhere'] })).status).toBe(400);
    expect((await choose(account, { inboxPaths: ['Büro & mehr', 'Orders'] })).status).toBe(200);
    await account.read();
    server.deliver(account.address, { raw: mailOf('Later'), path: 'B&APw-ro &- mehr' });
    server.deliver(account.address, { raw: mailOf('Ordered again'), path: 'Orders' });
    await account.read();
    expect(await subjectsOf(account)).toEqual(['Later', 'Ordered', 'Ordered again']);
  });

  test('of sent mail are chosen among the others, and not read twice', async () => {
    const desk = await openDesk();
    server.addFolder(desk.address, 'Outgoing');
    expect(await choose(desk, { inboxPaths: ['INBOX', 'Sent'] })).toMatchObject({
      status: 400,
      body: { params: { issues: [{ path: 'body.inboxPaths[1]', key: 'folder_is_read' }] } },
    });
    const chosen = { status: 200, body: { sentPath: 'Outgoing' } };
    expect(await choose(desk, { inboxPaths: ['INBOX', 'Sent'], sentPath: 'Outgoing' })).toMatchObject(chosen);
    expect(await choose(desk, { inboxPaths: ['INBOX'] })).toMatchObject(chosen);
    expect(await choose(desk, { inboxPaths: ['INBOX'], sentPath: null })).toMatchObject({
      status: 200,
      body: { sentPath: null },
    });
  });

  test('of sent mail may have mails with the ids of mails in the former', async () => {
    const desk = await openDesk();
    const question = mailOf('Question');
    server.deliver(desk.address, { raw: question });
    server.addFolder(desk.address, 'Outgoing');
    const [id] = /<mail-.*>/.exec(question) ?? [];
    const { uidValidity } = server.folder(desk.address, 'Sent');
    server.renewUidValidity(desk.address, { path: 'Outgoing', uidValidity });
    const answer = (path: string) =>
      server.deliver(desk.address, {
        raw: mailOf('Re: Question', [`In-Reply-To: ${id}`]).replace('mia@example.com', desk.address),
        path,
      });
    await desk.read();
    answer('Sent');
    await desk.read();
    await choose(desk, { inboxPaths: ['INBOX'], sentPath: 'Outgoing' });
    await desk.read();
    answer('Outgoing');
    await desk.read();
    expect(await ticketsOf(desk.owner)).toMatchObject([{ subject: 'Question', messageCount: 3 }]);
  });

  test('of a mailbox that was connected again in another order lose no mail', async () => {
    const desk = await openDesk({ inboxPaths: ['INBOX', 'Archive'] });
    server.deliver(desk.address, { raw: mailOf('One') });
    await desk.read();
    await desk.owner.call('DELETE', `/mailboxes/${desk.id}`);
    await house.drain();
    const uidValidity = server.folder(desk.address).uidValidity;
    server.renewUidValidity(desk.address, { path: 'Archive', uidValidity });
    await desk.owner.call('POST', '/mailboxes', { ...desk.body, inboxPaths: ['Archive', 'INBOX'] });
    await desk.read();
    server.deliver(desk.address, { raw: mailOf('Two'), path: 'Archive' });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['One', 'Two']);
  });
});

describe('XOAUTH2', () => {
  let issued = 0;
  const asked: URLSearchParams[] = [];
  let refusal: string | null = null;
  const endpoint = createServer((request, answer) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push(new URLSearchParams(body));
      const token = `token-${++issued}`;
      for (const account of tokened) account.tokens.add(token);
      answer.writeHead(refusal === null ? 200 : 400, { 'content-type': 'application/json' });
      answer.end(
        JSON.stringify(
          refusal === null
            ? { access_token: token, expires_in: 3_600, refresh_token: `refresh-${issued}` }
            : { error: refusal },
        ),
      );
    });
  });
  const tokened = new Set<{ tokens: Set<string> }>();
  afterAll(() => endpoint.close());

  test('opens a mailbox with tokens, which are renewed and rotated', async () => {
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    const tokenUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`;
    const desk = await openDesk({ password: 'wrong' });
    expect(desk.connected.status).toBe(400);
    tokened.add(desk.account);
    const { password: _password, ...body } = desk.body;
    const oauth = { tokenUrl, clientId: 'kontor', clientSecret: 'hush', scope: 'imap smtp' };
    const connected = await desk.owner.call('POST', '/mailboxes', { ...body, oauth, refreshToken: 'refresh-0' });
    expect(connected.status).toBe(201);
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-0',
      client_id: 'kontor',
      client_secret: 'hush',
      scope: 'imap smtp',
    });
    const mailbox = { workspaceId: desk.owner.workspaceId, mailboxId: connected.body.id };
    const read = async () => {
      await syncMailbox(house.app, mailbox);
      await house.drain();
    };
    await read();
    house.clock.advance(2 * 3_600_000);
    desk.account.tokens.clear();
    server.dropConnections();
    server.deliver(desk.address, { raw: mailOf('With a new token') });
    await read();
    expect(asked.at(-1)?.get('refresh_token')).toBe('refresh-1');
    const tickets = await house.app.db.rows(sql`
      select subject from tickets where workspace_id = ${desk.owner.workspaceId}`);
    expect(tickets).toEqual([{ subject: 'With a new token' }]);
    house.clock.advance(2 * 3_600_000);
    refusal = 'invalid_grant';
    await read();
    expect(await getMailbox(house.app.db, mailbox)).toMatchObject({ status: 'reauthorization_required' });
  });

  test('does not ask for tokens inside a network that is not allowed', async () => {
    const desk = await openDesk({ password: 'wrong' });
    const { password: _password, ...body } = desk.body;
    const oauth = { tokenUrl: 'https://10.1.2.3/token', clientId: 'kontor' };
    const { status } = await desk.owner.call('POST', '/mailboxes', { ...body, oauth, refreshToken: 'secret' });
    expect(status).toBe(400);
  });
});

/** Tokens expire when the clock advances. */
async function renewed({ owner }: Desk) {
  const { workspaceId, userId, sessionId } = owner;
  const authorization = `Bearer ${house.app.tokens.sign({ userId, sessionId })}`;
  return {
    call: (method: string, path: string, body: object) =>
      call(house, method, `/v1/workspaces/${workspaceId}${path}`, body, {
        authorization,
        'x-workspace-id': workspaceId,
      }),
  };
}
