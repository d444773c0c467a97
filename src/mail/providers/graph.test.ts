import { describe, expect, it } from 'vitest';
import { openEndpoint } from '../../../test/harness/small-server.ts';
import { address, useGraphAccounts } from '../../../test/peers/graph-accounts.ts';
import type { FoundMail, ProviderAccount } from '../provider.ts';

const { listen, closeAfter, openWorld, openAt } = useGraphAccounts();

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

  const roundOf = (links: (at: number) => object) => {
    let requests = 0;
    const world = openAt((_request, response) => response.end(JSON.stringify({ value: [], ...links(requests++) })));
    return { world, requests: () => requests };
  };
  const nextAt = (url: string, name: string | number) => ({ '@odata.nextLink': `${url}/v1.0/delta?page=${name}` });

  it.each<[string, (url: string, at: number) => object, number]>([
    ['leads to itself', (url) => nextAt(url, 'a'), 3],
    ['leads in a circle', (url, at) => nextAt(url, 'abc'[at % 3] ?? ''), 5],
    ['leads to the beginning', (url, at) => nextAt(url, at === 0 ? 'a' : 'first'), 3],
    ['leads to empty pages without an end', (url, at) => nextAt(url, at), 1_001],
  ])('needs a full pass after a round whose link %s', async (_where, links, requestsMax) => {
    let url = '';
    const { world, requests } = roundOf((at) => links(url, at));
    const { account, url: opened } = await world;
    url = opened;
    const first = `${url}/v1.0/delta?page=first`;
    const read = foundIn(account, JSON.stringify({ inbox: first, sentitems: first }));
    await expect(read).rejects.toMatchObject({ kind: 'cursor-lost', code: 'endless_round' });
    expect(requests()).toBeLessThanOrEqual(requestsMax);
    await expect(account.anchor()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is listed without an end in no list of older mail', async () => {
    let url = '';
    const { world } = roundOf(() => nextAt(url, 'a'));
    const { account, url: opened } = await world;
    url = opened;
    const since = new Date('2026-11-01T08:00:00Z');
    const { next } = await account.history(since, '');
    await expect(account.history(since, next ?? '')).rejects.toMatchObject({ code: 'endless_list' });
  });

  it.each([
    ['nothing', ''],
    ['the page of a proxy', '<!DOCTYPE html>\r\n<html><title>Busy</title></html>'],
    ['a page without a doctype', '\n<html>\nDate: now\n</html>'],
    ['an error in JSON', '{"error":{"code":"busy"}}'],
  ])('is fetched again, and rebuilt at last, when its bytes are %s', async (_what, bytes) => {
    const { account } = await openAt(({ url = '' }, response) => {
      const about = { id: 'm', parentFolderId: 'inbox-id', receivedDateTime: '2026-11-20T10:00:00Z', subject: 'Whole' };
      response.end(
        url.endsWith('/$value') ? bytes : JSON.stringify(url.includes('mailFolders') ? { id: 'inbox-id' } : about),
      );
    });
    const mail = { providerId: 'm', folder: 'inbox' } as const;
    await expect(account.fetch(mail)).rejects.toMatchObject({ kind: 'refused', code: 'no_mail' });
    const rebuilt = await account.fetch(mail, { rebuilds: true });
    expect('raw' in rebuilt && rebuilt.raw.toString()).toMatch(/^X-Kontor-Rebuilt: yes.*Subject: Whole/s);
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
    for (const key of ['inbox', 'sentitems', 'inbox']) watches.push(await account.watch(key, target(endpoint)));
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

async function foundIn(account: ProviderAccount, cursor: string): Promise<FoundMail[]> {
  const all: FoundMail[] = [];
  for await (const { found } of account.changes(cursor)) all.push(...found);
  return all;
}
