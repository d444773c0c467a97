import { describe, expect, it, onTestFinished } from 'vitest';
import { openServer } from '../../../test/harness/small-server.ts';
import { mailFrom, openGmailAt, send, useGmail } from '../../../test/worlds/use-gmail.ts';
import type { ProviderAccount } from '../provider.ts';

const world = useGmail();
let count = 0;

it('asks for offline access, and for the account unless a hint names it', () => {
  const consent = { redirectUri: 'https://kontor.example.org/back', state: 's', codeChallenge: 'c' };
  const { searchParams } = new URL(world.gmail.consentUrl(consent));
  expect(Object.fromEntries(searchParams)).toMatchObject({
    access_type: 'offline',
    prompt: 'select_account consent',
    scope: 'https://www.googleapis.com/auth/gmail.modify',
    code_challenge_method: 'S256',
  });
  const named = new URL(world.gmail.consentUrl({ ...consent, loginHint: 'a@b.example' })).searchParams;
  expect(named.get('prompt')).toBe('consent');
});

it.each([
  [['https://mail.google.com/'], true],
  [['https://www.googleapis.com/auth/gmail.readonly', 'https://www.googleapis.com/auth/gmail.send'], true],
  [['https://www.googleapis.com/auth/gmail.send'], false],
])('takes the scopes %s: %s', async (scopes, isEnough) => {
  const { refreshToken } = world.emulator.addMailbox({ address: `scoped-${++count}@gmail.example.org`, scopes });
  const refreshed = world.gmail.refresh(refreshToken).then(
    () => true,
    ({ kind, code }) => ({ kind, code }),
  );
  expect(await refreshed).toEqual(isEnough || { kind: 'unauthorized', code: 'insufficient_scope' });
});

describe('a refusal', () => {
  it.each([
    [403, 'rateLimitExceeded', 'throttled'],
    [403, 'userRateLimitExceeded', 'throttled'],
    [429, 'rateLimitExceeded', 'throttled'],
    [403, 'dailyLimitExceeded', 'throttled'],
    [403, 'domainPolicy', 'forbidden'],
    [403, 'insufficientPermissions', 'forbidden'],
    [403, 'accessNotConfigured', 'misconfigured'],
    [400, 'failedPrecondition', 'unavailable'],
    [400, 'invalidArgument', 'refused'],
    [503, 'backendError', 'unavailable'],
  ])('with %i %s is of kind %s, and no last word on the access', async (status, reason, kind) => {
    const { address, account } = world.openMailbox();
    world.emulator.setFault({ on: 'getProfile', address, status, reason });
    const fault = await account.profile().catch((thrown) => thrown);
    expect(fault).toMatchObject({ kind, code: reason });
    expect(fault.evidence).not.toBe('final');
  });

  it('because the account has no Gmail concerns the mailbox', async () => {
    const { address, account } = world.openMailbox();
    const message = 'Mail service not enabled';
    world.emulator.setFault({ on: 'getProfile', address, status: 400, reason: 'failedPrecondition', message });
    await expect(account.profile()).rejects.toMatchObject({ kind: 'forbidden', evidence: 'denial' });
  });

  it('with a bare 400 is temporary, and does not lose the cursor', async () => {
    const { url, close } = await openServer((_request, response) => response.writeHead(400).end());
    try {
      const account = openGmailAt(url).openAccount({ token: async () => 'x', renew: async () => 'x' });
      const fault = { kind: 'unavailable', code: '400', evidence: 'none' };
      await expect(account.profile()).rejects.toMatchObject(fault);
      await expect(foundSince(account, '1')).rejects.toMatchObject(fault);
    } finally {
      await close();
    }
  });

  it.each([
    [429, 'rateLimitExceeded', false],
    [400, 'failedPrecondition', false],
    [400, 'invalidArgument', false],
    [403, 'domainPolicy', false],
    [401, 'authError', false],
    [429, 'unheardOf', true],
    [400, 'unheardOf', true],
    [500, 'rateLimitExceeded', true],
  ])('to send with %i %s leaves open whether the mail left: %s', async (status, reason, mayHaveHappened) => {
    const { address, account } = world.openMailbox();
    world.emulator.setFault({ on: 'messages.send', address, status, reason, times: 2 });
    await expect(send(account, mailFrom(address))).rejects.toMatchObject({ mayHaveHappened });
  });

  it('without a time to wait waits some seconds, or an hour for the daily quota', async () => {
    const { address, account } = world.openMailbox();
    const waits: number[] = [];
    for (const reason of ['userRateLimitExceeded', 'dailyLimitExceeded']) {
      world.emulator.setFault({ on: 'getProfile', address, status: 403, reason });
      waits.push(await account.profile().catch(({ retryAfterMs }) => retryAfterMs));
    }
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
    expect(waits[0]).toBeLessThanOrEqual(64_000);
    expect(waits[1]).toBe(3_600_000);
  });

  it('contains the time to wait in its message', async () => {
    const { address, account } = world.openMailbox();
    const message = `User-rate limit exceeded.  Retry after ${new Date(Date.now() + 7_200_000).toISOString()}`;
    world.emulator.setFault({ on: 'messages.send', address, status: 429, message });
    const wait = await send(account, mailFrom(address)).catch(({ retryAfterMs }) => retryAfterMs);
    expect(Math.round(wait / 60_000)).toBe(120);
  });
});

describe('changes', () => {
  it.each([false, true])('include mail that was archived before the fetch (labels hidden: %s)', async (isHidden) => {
    world.emulator.configure({ hidesHistoryLabels: isHidden });
    const { address, account } = world.openMailbox();
    const anchor = await account.anchor();
    const { id } = await world.emulator.deliver(address);
    world.emulator.relabel(address, id, { remove: ['INBOX'] });
    const [found] = await foundSince(account, anchor);
    expect(found).toEqual({ providerId: id, folder: 'inbox' });
    expect(await account.fetch({ providerId: id, folder: 'inbox' })).toMatchObject({ folder: 'inbox' });
  });

  it('exclude mail that a filter keeps out of the inbox, drafts and junk', async () => {
    const { address, account } = world.openMailbox();
    const anchor = await account.anchor();
    for (const labelIds of [['UNREAD'], ['SPAM'], ['CHAT']]) await world.emulator.deliver(address, {}, { labelIds });
    const draft = await world.emulator.saveDraft(address, {});
    await world.emulator.saveDraft(address, {}, draft.id);
    expect(await foundSince(account, anchor)).toEqual([]);
  });

  it('include mail that left the inbox again, when Google lists it with its present labels', async () => {
    const message = { id: '1a', threadId: '1a', labelIds: ['UNREAD'] };
    const pages = [
      { history: [{ id: '8', messagesAdded: [{ message }] }], nextPageToken: 'more', historyId: '9' },
      {
        history: [
          { id: '9', labelsRemoved: [{ message, labelIds: ['INBOX'] }] },
          // An earlier event: the mail was not for tickets then.
          { id: '9', labelsRemoved: [{ message: { id: '1b', threadId: '1b' }, labelIds: ['INBOX'] }] },
        ],
        historyId: '9',
      },
    ];
    const { url, close } = await openServer((request, response) => {
      const isSecond = request.url?.includes('pageToken=more') === true;
      response.end(JSON.stringify(pages[isSecond ? 1 : 0]));
    });
    const google = openGmailAt(url);
    const account = google.openAccount({ token: async () => 'token', renew: async () => 'token' });
    expect(await foundSince(account, '7')).toEqual([{ providerId: '1a', folder: 'inbox' }]);
    await google.close();
    await close();
  });

  it('tell mail to itself from an answer with a copy to itself', async () => {
    const { address, account } = world.openMailbox();
    const anchor = await account.anchor();
    const [user, domain] = address.split('@');
    const mails = [
      { to: [address], replyTo: ['cora@example.com'] },
      { to: [`${user}+form@${domain}`] },
      { to: ['cora@example.com'], cc: [address] },
      { to: [address], headers: { 'X-Kontor-Message-ID': '<a@b.example>' } },
    ];
    for (const mail of mails) await world.emulator.sendByHand(address, mail);
    const fetched = await Promise.all((await foundSince(account, anchor)).map((found) => account.fetch(found)));
    const folders = fetched.map((mail) => 'folder' in mail && mail.folder);
    expect(folders).toEqual(['inbox', 'inbox', 'sent', 'sent']);
  });
});

it('restarts the history when Google refuses a page token', async () => {
  const { account } = world.openMailbox();
  await expect(account.history(new Date(0), 'INBOX:stale')).rejects.toMatchObject({ kind: 'cursor-lost' });
});

describe('a watch', () => {
  const target = { notificationUrl: '', clientState: undefined, topic: 'projects/kontor/topics/mail' };

  it('needs a topic', async () => {
    const { account } = world.openMailbox();
    const watching = account.watch('mailbox', { ...target, topic: undefined });
    await expect(watching).rejects.toMatchObject({ kind: 'misconfigured', code: 'topic_missing' });
  });

  it.each([400, 403, 404])('refused with %i asks the operator to correct the topic', async (status) => {
    const { address, account } = world.openMailbox();
    world.emulator.setFault({ on: 'watch', address, status });
    await expect(account.watch('mailbox', target)).rejects.toMatchObject({
      kind: 'misconfigured',
      message: expect.stringContaining('MAIL_B_TOPIC'),
    });
  });

  it('refused by the mailbox’s administrator does not blame the operator', async () => {
    const { address, account } = world.openMailbox();
    world.emulator.setFault({ on: 'watch', address, status: 403, reason: 'domainPolicy' });
    await expect(account.watch('mailbox', target)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('replaces a watch that publishes to another topic', async () => {
    const { address, account } = world.openMailbox();
    await account.watch('mailbox', { ...target, topic: 'projects/kontor/topics/old' });
    world.emulator.setFault({ on: 'watch', address, status: 400, reason: 'failedPrecondition' });
    await account.watch('mailbox', target);
    expect(world.emulator.watches(address).map(({ topicName, state }) => [topicName, state])).toEqual([
      ['projects/kontor/topics/old', 'stopped'],
      [target.topic, 'active'],
    ]);
  });
});

async function foundSince(account: ProviderAccount, cursor: string) {
  const found = [];
  for await (const page of account.changes(cursor)) found.push(...page.found);
  return found;
}

describe('pages without an end', () => {
  async function openAt(answer: (at: number) => object): Promise<ProviderAccount> {
    let requests = 0;
    const { url, close } = await openServer((_request, response) => response.end(JSON.stringify(answer(requests++))));
    onTestFinished(close);
    const gmail = openGmailAt(url);
    onTestFinished(gmail.close);
    return gmail.openAccount({ token: async () => 'secret', renew: async () => 'secret' });
  }
  const readAll = async (account: ProviderAccount) => {
    for await (const _page of account.changes('1'));
  };

  it.each([
    ['the same page', () => ({ nextPageToken: 'a' })],
    ['a circle of pages', (at: number) => ({ nextPageToken: 'abc'[at % 3] })],
  ])('of changes end the round: %s', async (_what, answer) => {
    await expect(readAll(await openAt(answer))).rejects.toMatchObject({ kind: 'cursor-lost' });
  });

  it('of older mail are read once', async () => {
    const account = await openAt(() => ({ messages: [], nextPageToken: 'a' }));
    const since = new Date('2026-11-01T08:00:00Z');
    const { next } = await account.history(since, '');
    await expect(account.history(since, next ?? '')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
