import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { writeMail } from '../../../emulators/customer-mail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { openEndpoint } from '../../../test/small-server.ts';
import { oauthRegistration, useServers } from '../../../test/use-servers.ts';
import { parseMail } from '../parse.ts';
import type { FoundMail, HostedFile, HostedMail, ProviderAccount, SendSteps } from '../provider.ts';
import { openGraph } from './graph.ts';

const { listen, closeAfter } = useServers();

const address = 'support@example.com';

async function openWorld(behaviour: NonNullable<Parameters<typeof openGraphEmulator>[0]>['behaviour'] = {}) {
  const emulator = await openGraphEmulator({ behaviour });
  const graph = openGraph(emulator);
  closeAfter(emulator.close, graph.close);
  const { refreshToken } = emulator.addMailbox({ address });
  const { accessToken } = await graph.refresh(refreshToken);
  const access = { token: async () => accessToken, renew: async () => accessToken };
  return { emulator, account: graph.openAccount(access) };
}

/** Opens an account at a server with scripted answers. */
async function openAt(answer: RequestListener): Promise<{ url: string; account: ProviderAccount }> {
  const url = await listen(answer);
  const graph = openGraph({ ...oauthRegistration, apiUrl: `${url}/v1.0` });
  closeAfter(graph.close);
  return { url, account: graph.openAccount({ token: async () => 'secret', renew: async () => 'secret' }) };
}

const target = (notificationUrl: string) => ({ notificationUrl, clientState: 'the secret', topic: undefined });

async function listenAsEndpoint(): Promise<string> {
  const { url, close } = await openEndpoint();
  closeAfter(close);
  return url;
}

describe('new mail', () => {
  it('is read with no more concurrent requests than Graph allows', async () => {
    const { emulator, account } = await openWorld({ concurrencyMax: 3, latencyMs: 2 });
    const cursor = await account.anchor();
    for (let n = 0; n < 12; n++) await emulator.deliver(address, { subject: `Mail ${n}` });
    const found = await foundIn(account, cursor);
    expect(await Promise.all(found.map((mail) => account.fetch(mail)))).toHaveLength(12);
  });

  it('is rebuilt from its parts only on request, because a retry may get its bytes', async () => {
    const { emulator, account } = await openWorld({ mimeFailureRate: 1 });
    const cursor = await account.anchor();
    await emulator.deliver(address, { subject: 'Protected' });
    const [mail] = await foundIn(account, cursor);
    if (mail === undefined) throw new Error('the mail was not found');
    await expect(account.fetch(mail)).rejects.toMatchObject({ kind: 'refused' });
    const rebuilt = await account.fetch(mail, { rebuilds: true });
    expect('raw' in rebuilt && rebuilt.raw.toString()).toMatch(/^X-Kontor-Rebuilt: yes/);
  });

  it('is requested only from the API, whatever the cursor contains', async () => {
    const elsewhere: string[] = [];
    const foreign = await listen((request, response) => {
      elsewhere.push(request.url ?? '');
      response.end('{}');
    });
    const { emulator, account } = await openWorld();
    const { inbox } = JSON.parse(await account.anchor());
    for (const sentitems of [`${foreign}/v1.0/delta`, `${emulator.url}/v2.0/delta`, 'nothing', undefined])
      await expect(foundIn(account, JSON.stringify({ inbox, sentitems }))).rejects.toMatchObject({
        kind: 'cursor-lost',
      });
    await expect(foundIn(account, 'of another kind')).rejects.toMatchObject({ kind: 'cursor-lost' });
    const { account: misled } = await openAt((_request, response) =>
      response.end(JSON.stringify({ value: [], '@odata.nextLink': `${foreign}/v1.0/delta` })),
    );
    await expect(misled.anchor()).rejects.toMatchObject({ kind: 'unavailable', code: 'foreign_link' });
    expect(elsewhere).toEqual([]);
  });

  it.each(['410', 'SyncStateNotFound', 'resyncRequired'] as const)('needs a full pass after %s', async (how) => {
    const { emulator, account } = await openWorld();
    const cursor = await account.anchor();
    emulator.resetDelta(address, how);
    await expect(foundIn(account, cursor)).rejects.toMatchObject({ kind: 'cursor-lost' });
  });

  it('includes late mail that was received before the newest mail', async () => {
    const { emulator, account } = await openWorld();
    await emulator.deliver(address, {});
    const cursor = await account.anchor();
    const late = await emulator.deliver(address, {}, { receivedAt: new Date(emulator.now().getTime() - 60_000) });
    expect(await foundIn(account, cursor)).toEqual([{ providerId: late.id, folder: 'inbox' }]);
  });

  it('does not count as gone when the account has no mailbox', async () => {
    const { emulator, account } = await openWorld();
    const { id } = await emulator.deliver(address, {});
    emulator.setFault({ on: 'message.get', status: 404, code: 'MailboxNotEnabledForRESTAPI' });
    await expect(account.fetch({ providerId: id, folder: 'inbox' })).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

it('lists all older mail, even with deletions meanwhile and many mails of one time', async () => {
  const { emulator, account } = await openWorld();
  const since = new Date('2026-11-01T08:00:00.500Z');
  const kept = new Set<string>();
  for (let n = 0; n < 350; n++) {
    const receivedAt = new Date(since.getTime() + (n < 130 ? 0 : (n - 130) * 1000));
    kept.add((await emulator.deliver(address, mailBytes, { receivedAt })).id);
  }
  const listed = new Set<string>();
  for (let page = '', pages = 0; pages < 20; pages++) {
    const { found, next } = await account.history(since, page);
    for (const { providerId } of found) listed.add(providerId);
    if (next === null) break;
    if (pages === 3)
      for (const id of [...listed].slice(0, 30)) {
        emulator.remove(address, id);
        kept.delete(id);
      }
    page = next;
  }
  expect([...kept].filter((id) => !listed.has(id))).toEqual([]);
});

const mailBytes = Buffer.from('From: cora@example.com\r\nTo: support@example.com\r\nSubject: x\r\n\r\nx\r\n');

describe('a watch', () => {
  it('replaces an earlier subscription', async () => {
    const { emulator, account } = await openWorld();
    const endpoint = await listenAsEndpoint();
    const watches = [];
    for (const key of [...account.watchKeys, 'inbox']) watches.push(await account.watch(key, target(endpoint)));
    const living = emulator.subscriptions().filter(({ end }) => end === null);
    expect(living.map(({ id }) => id).sort()).toEqual(
      watches
        .slice(1)
        .map((watch) => watch.subscriptionId)
        .sort(),
    );
    expect(living[0]).toMatchObject({
      lifecycleNotificationUrl: endpoint,
      clientState: 'the secret',
      isImmutable: true,
    });
  });

  it('ends when its notifications must go to another address', async () => {
    const { emulator, account } = await openWorld();
    const [before, after] = await Promise.all([listenAsEndpoint(), listenAsEndpoint()]);
    const watch = await account.watch('inbox', target(before));
    await expect(account.renewWatch(watch, target(after))).rejects.toMatchObject({ kind: 'not-found' });
    expect(emulator.subscriptions()).toMatchObject([{ end: 'deleted' }]);
  });

  it('is retried when Graph could not reach us', async () => {
    const { account } = await openWorld();
    await expect(account.watch('inbox', target('http://127.0.0.1:9'))).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'endpoint_unreachable',
    });
  });
});

describe('sending', () => {
  // The sizes of exactly one request and of exactly two slices.
  const plot = fileOf('plot.png', 2_999_999, 'plot@kontor');
  const large = fileOf('large.bin', 4_000_001, null);

  it('uploads large files separately, in slices', async () => {
    const { emulator, account } = await openWorld();
    await account.send(await mailOf([plot, large]), stepsOf([]));
    expect((await receivedFiles(emulator)).sort()).toEqual(['large.bin 4000001 null', 'plot.png 2999999 plot@kontor']);
    expect(emulator.misuses()).toEqual([]);
  });

  it('creates a new draft when the old draft may lack files', async () => {
    const { emulator, account } = await openWorld();
    const mail = await mailOf([large]);
    emulator.setFault({ on: 'upload.slice', status: 503 });
    // Even the removal of the incomplete draft fails.
    emulator.setFault({ on: 'message.delete', status: 503 });
    const drafts: string[] = [];
    await expect(account.send(mail, stepsOf(drafts))).rejects.toMatchObject({
      kind: 'unavailable',
      mayHaveHappened: false,
    });
    expect(drafts).toEqual([]);
    await account.send(mail, stepsOf(drafts));
    expect(await receivedFiles(emulator)).toEqual(['large.bin 4000001 null']);
    expect(emulator.messages(address, 'drafts')).toEqual([]);
  });

  it('uses the draft of an attempt that was interrupted before it stored the id', async () => {
    const { emulator, account } = await openWorld();
    const mail = await mailOf([]);
    emulator.setFault({ on: 'draft.create', kind: 'broken', isCarriedOut: true });
    const drafts: string[] = [];
    await expect(account.send(mail, stepsOf(drafts))).rejects.toMatchObject({ mayHaveHappened: false });
    const [left] = emulator.messages(address, 'drafts');
    await account.send(mail, stepsOf(drafts));
    expect(drafts).toEqual([left?.id]);
    expect(emulator.received('cora@example.com')).toHaveLength(1);
  });

  it('does not send a draft again that has left', async () => {
    const { emulator, account } = await openWorld();
    const mail = await mailOf([]);
    const drafts: string[] = [];
    const copy = await account.send(mail, stepsOf(drafts));
    const [draftId = ''] = drafts;
    expect(await account.send(mail, { ...stepsOf([]), draftId })).toEqual(copy);
    expect(emulator.received()).toHaveLength(1);
  });

  it('reports a missing draft, after which the mail may have left', async () => {
    const { emulator, account } = await openWorld();
    const removed: SendSteps = { ...stepsOf([]), onDraft: async (id) => emulator.remove(address, id) };
    await expect(account.send(await mailOf([]), removed)).rejects.toMatchObject({
      kind: 'not-found',
      mayHaveHappened: true,
    });
  });

  it('creates no second draft when the first draft is not visible', async () => {
    const { emulator, account } = await openWorld();
    await expect(account.send(await mailOf([]), { ...stepsOf([]), draftId: 'gone' })).rejects.toMatchObject({
      kind: 'not-found',
      mayHaveHappened: true,
    });
    expect(emulator.messages(address, 'drafts')).toEqual([]);
  });

  it.each([
    [429, 'ApplicationThrottled', true],
    [403, 'UnheardOf', true],
    [400, 'UnheardOf', true],
    [500, 'ErrorAccessDenied', true],
    [403, 'ErrorAccessDenied', false],
    [403, 'ErrorMessageSubmissionBlocked', false],
    [400, 'ErrorInvalidRecipients', false],
    [401, 'InvalidAuthenticationToken', false],
  ])('refused with %i %s leaves open whether the mail left: %s', async (status, code, mayHaveHappened) => {
    const { emulator, account } = await openWorld();
    emulator.setFault({ on: 'send', status, code, times: 2 });
    await expect(account.send(await mailOf([]), stepsOf([]))).rejects.toMatchObject({ mayHaveHappened });
  });

  it('is retried after a bare 400', async () => {
    const { account } = await openAt((request, response) => {
      if (request.method === 'GET') response.end('{"value":[]}');
      else response.writeHead(400).end();
    });
    await expect(account.send(await mailOf([]), stepsOf([]))).rejects.toMatchObject({
      kind: 'unavailable',
      code: '400',
      mayHaveHappened: false,
    });
  });

  it('finds the copy by our mark when both its id and its Message-ID have changed', async () => {
    const { emulator, account } = await openWorld({ sentIdsChange: true, rewritesMessageIds: true });
    const since = new Date(emulator.now().getTime() - 1_000);
    const mail = await mailOf([]);
    const drafts: string[] = [];
    await account.send(mail, stepsOf(drafts));
    const [draftId = null] = drafts;
    const sent = await account.findSent({ rfcMessageId: mail.rfcMessageId, draftId, threadId: null, since });
    const [kept] = emulator.messages(address, 'sentitems');
    expect(sent).toEqual({
      providerId: kept?.id,
      threadId: kept?.conversationId,
      wireMessageId: kept?.internetMessageId.slice(1, -1),
    });
    expect(kept?.id).not.toBe(draftId);
  });
});

async function foundIn(account: ProviderAccount, cursor: string): Promise<FoundMail[]> {
  const all: FoundMail[] = [];
  for await (const { found } of account.changes(cursor)) all.push(...found);
  return all;
}

function fileOf(fileName: string, sizeBytes: number, contentId: string | null): HostedFile {
  const contentType = fileName.endsWith('.png') ? 'image/png' : 'application/octet-stream';
  return { fileName, contentType, sizeBytes, contentId, open: async () => Readable.from([Buffer.alloc(sizeBytes, 7)]) };
}

/** Only a whole mail includes its files, and no file here is small enough for that. */
async function mailOf(files: readonly HostedFile[]): Promise<HostedMail> {
  const rfcMessageId = 'answer-1@kontor.example.com';
  const raw = await writeMail(
    {
      from: address,
      to: ['cora@example.com'],
      messageId: rfcMessageId,
      html: '<p><img src="cid:plot@kontor"></p>',
      headers: { 'X-Kontor-Message-ID': `<${rfcMessageId}>` },
    },
    { to: '', date: new Date() },
  );
  const text = () => Readable.from([raw]);
  return { rfcMessageId, threadId: null, bcc: [], whole: text, withoutFiles: text, files };
}

function stepsOf(drafts: string[]): SendSteps {
  return { draftId: null, onDraft: async (id) => void drafts.push(id), beforeSend: async () => {} };
}

async function receivedFiles(emulator: Awaited<ReturnType<typeof openGraphEmulator>>): Promise<string[]> {
  const [mail] = emulator.received('cora@example.com');
  const { attachments = [] } = mail === undefined ? {} : await parseMail(mail.raw);
  return attachments.map(({ fileName, content, contentId }) => `${fileName} ${content.byteLength} ${contentId}`);
}

it('an account without a mailbox has no profile, whatever its address', async () => {
  const { account } = await openAt((request, response) => {
    const isProfile = request.url?.startsWith('/v1.0/me?');
    const body = isProfile ? { id: '1', mail: address } : { error: { code: 'MailboxNotEnabledForRESTAPI' } };
    response.writeHead(isProfile ? 200 : 404).end(JSON.stringify(body));
  });
  await expect(account.profile()).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('has no mailbox'),
  });
});
