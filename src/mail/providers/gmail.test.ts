import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GmailEmulator, openGmailEmulator } from '../../../emulators/gmail.ts';
import { clientOfKontor, keepAccess } from '../../../test/provider-worlds.ts';
import { openServer } from '../../../test/small-server.ts';
import type { HostedMail, MailProvider, ProviderAccount, SendSteps } from '../provider.ts';
import { openGmail } from './gmail.ts';

let emulator: GmailEmulator;
let gmail: MailProvider;

beforeAll(async () => {
  emulator = await openGmailEmulator({ unitsPerMinute: null });
  gmail = openAt(emulator.url);
});

afterEach(() => {
  emulator.clearFaults();
  emulator.configure({ project: undefined, rewritesMessageIds: true, hidesHistoryLabels: false });
});

afterAll(async () => {
  await gmail.close();
  await emulator.close();
});

function openAt(url: string): MailProvider {
  return openGmail({
    apiUrl: url,
    tokenUrl: `${url}/token`,
    authorizeUrl: `${url}/o/oauth2/v2/auth`,
    client: clientOfKontor,
  });
}

let count = 0;

function openMailbox(): { address: string; account: ProviderAccount } {
  const { address, refreshToken } = emulator.addMailbox({ address: `support-${++count}@gmail.example.org` });
  return { address, account: gmail.openAccount(keepAccess(gmail, refreshToken)) };
}

it('asks for offline access, and for the account unless a hint names it', () => {
  const consent = { redirectUri: 'https://kontor.example.org/back', state: 's', codeChallenge: 'c' };
  const { searchParams } = new URL(gmail.consentUrl(consent));
  expect(Object.fromEntries(searchParams)).toMatchObject({
    access_type: 'offline',
    prompt: 'select_account consent',
    scope: 'https://www.googleapis.com/auth/gmail.modify',
    code_challenge_method: 'S256',
  });
  const named = new URL(gmail.consentUrl({ ...consent, loginHint: 'a@b.example' })).searchParams;
  expect(named.get('prompt')).toBe('consent');
});

it.each([
  [['https://mail.google.com/'], true],
  [['https://www.googleapis.com/auth/gmail.readonly', 'https://www.googleapis.com/auth/gmail.send'], true],
  [['https://www.googleapis.com/auth/gmail.send'], false],
])('takes the scopes %s: %s', async (scopes, isEnough) => {
  const { refreshToken } = emulator.addMailbox({ address: `scoped-${++count}@gmail.example.org`, scopes });
  const refreshed = gmail.refresh(refreshToken).then(
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
    const { address, account } = openMailbox();
    emulator.setFault({ on: 'getProfile', address, status, reason });
    const fault = await account.profile().catch((thrown) => thrown);
    expect(fault).toMatchObject({ kind, code: reason });
    expect(fault.evidence).not.toBe('final');
  });

  it('because the account has no Gmail concerns the mailbox', async () => {
    const { address, account } = openMailbox();
    const message = 'Mail service not enabled';
    emulator.setFault({ on: 'getProfile', address, status: 400, reason: 'failedPrecondition', message });
    await expect(account.profile()).rejects.toMatchObject({ kind: 'forbidden', evidence: 'denial' });
  });

  it('with a bare 400 is temporary, and does not lose the cursor', async () => {
    const { url, close } = await openServer((_request, response) => response.writeHead(400).end());
    try {
      const account = openAt(url).openAccount({ token: async () => 'x', renew: async () => 'x' });
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
    const { address, account } = openMailbox();
    emulator.setFault({ on: 'messages.send', address, status, reason, times: 2 });
    await expect(send(account, mailFrom(address))).rejects.toMatchObject({ mayHaveHappened });
  });

  it('without a time to wait waits some seconds, or an hour for the daily quota', async () => {
    const { address, account } = openMailbox();
    const waits: number[] = [];
    for (const reason of ['userRateLimitExceeded', 'dailyLimitExceeded']) {
      emulator.setFault({ on: 'getProfile', address, status: 403, reason });
      waits.push(await account.profile().catch(({ retryAfterMs }) => retryAfterMs));
    }
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
    expect(waits[0]).toBeLessThanOrEqual(64_000);
    expect(waits[1]).toBe(3_600_000);
  });

  it('contains the time to wait in its message', async () => {
    const { address, account } = openMailbox();
    const message = `User-rate limit exceeded.  Retry after ${new Date(Date.now() + 7_200_000).toISOString()}`;
    emulator.setFault({ on: 'messages.send', address, status: 429, message });
    const wait = await send(account, mailFrom(address)).catch(({ retryAfterMs }) => retryAfterMs);
    expect(Math.round(wait / 60_000)).toBe(120);
  });
});

describe('changes', () => {
  it.each([false, true])('include mail that was archived before the fetch (labels hidden: %s)', async (isHidden) => {
    emulator.configure({ hidesHistoryLabels: isHidden });
    const { address, account } = openMailbox();
    const anchor = await account.anchor();
    const { id } = await emulator.deliver(address);
    emulator.relabel(address, id, { remove: ['INBOX'] });
    const [found] = await foundSince(account, anchor);
    expect(found).toEqual({ providerId: id, folder: 'inbox' });
    expect(await account.fetch({ providerId: id, folder: 'inbox' })).toMatchObject({ folder: 'inbox' });
  });

  it('exclude mail that a filter keeps out of the inbox, drafts and junk', async () => {
    const { address, account } = openMailbox();
    const anchor = await account.anchor();
    for (const labelIds of [['UNREAD'], ['SPAM'], ['CHAT']]) await emulator.deliver(address, {}, { labelIds });
    const draft = await emulator.saveDraft(address, {});
    await emulator.saveDraft(address, {}, draft.id);
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
    const google = openAt(url);
    const account = google.openAccount({ token: async () => 'token', renew: async () => 'token' });
    expect(await foundSince(account, '7')).toEqual([{ providerId: '1a', folder: 'inbox' }]);
    await google.close();
    await close();
  });

  it('tell mail to itself from an answer with a copy to itself', async () => {
    const { address, account } = openMailbox();
    const anchor = await account.anchor();
    const [user, domain] = address.split('@');
    const mails = [
      { to: [address], replyTo: ['cora@example.com'] },
      { to: [`${user}+form@${domain}`] },
      { to: ['cora@example.com'], cc: [address] },
      { to: [address], headers: { 'X-Kontor-Message-ID': '<a@b.example>' } },
    ];
    for (const mail of mails) await emulator.sendByHand(address, mail);
    const fetched = await Promise.all((await foundSince(account, anchor)).map((found) => account.fetch(found)));
    const folders = fetched.map((mail) => 'folder' in mail && mail.folder);
    expect(folders).toEqual(['inbox', 'inbox', 'sent', 'sent']);
  });
});

it('restarts the history when Google refuses a page token', async () => {
  const { account } = openMailbox();
  await expect(account.history(new Date(0), 'INBOX:stale')).rejects.toMatchObject({ kind: 'cursor-lost' });
});

describe('a watch', () => {
  const target = { notificationUrl: '', clientState: undefined, topic: 'projects/kontor/topics/mail' };

  it('needs a topic', async () => {
    const { account } = openMailbox();
    const watching = account.watch('mailbox', { ...target, topic: undefined });
    await expect(watching).rejects.toMatchObject({ kind: 'misconfigured', code: 'topic_missing' });
  });

  it.each([400, 403, 404])('refused with %i asks the operator to correct the topic', async (status) => {
    const { address, account } = openMailbox();
    emulator.setFault({ on: 'watch', address, status });
    await expect(account.watch('mailbox', target)).rejects.toMatchObject({
      kind: 'misconfigured',
      message: expect.stringContaining('MAIL_B_TOPIC'),
    });
  });

  it('refused by the mailbox’s administrator does not blame the operator', async () => {
    const { address, account } = openMailbox();
    emulator.setFault({ on: 'watch', address, status: 403, reason: 'domainPolicy' });
    await expect(account.watch('mailbox', target)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('replaces a watch that publishes to another topic', async () => {
    const { address, account } = openMailbox();
    await account.watch('mailbox', { ...target, topic: 'projects/kontor/topics/old' });
    emulator.setFault({ on: 'watch', address, status: 400, reason: 'failedPrecondition' });
    await account.watch('mailbox', target);
    expect(emulator.watches(address).map(({ topicName, state }) => [topicName, state])).toEqual([
      ['projects/kontor/topics/old', 'stopped'],
      [target.topic, 'active'],
    ]);
  });
});

describe('sending', () => {
  const sought = (mail: HostedMail) => ({ ...mail, draftId: null, since: new Date() });

  it.each([true, false])('is found afterwards (Message-ID replaced: %s)', async (isReplaced) => {
    emulator.configure({ rewritesMessageIds: isReplaced });
    const { address, account } = openMailbox();
    for (let n = 0; n < 3; n++) await send(account, mailFrom(address));
    const mail = mailFrom(address);
    const copy = await send(account, mail);
    expect(copy?.wireMessageId === mail.rfcMessageId).toBe(!isReplaced);
    emulator.relabel(address, copy?.providerId ?? '', { add: ['TRASH'] });
    expect(await account.findSent(sought(mail))).toEqual(copy);
  });

  it('succeeds even if the look-up of the copy fails', async () => {
    const { address, account } = openMailbox();
    emulator.setFault({ on: 'messages.get', address, status: 503 });
    expect(await send(account, mailFrom(address))).toMatchObject({
      providerId: expect.any(String),
      wireMessageId: null,
    });
  });

  it('begins a new thread when the old thread was deleted', async () => {
    const { address, account } = openMailbox();
    emulator.setFault({ on: 'messages.send', address, status: 404 });
    await send(account, mailFrom(address, { threadId: '1abc' }));
    expect(emulator.mails(address)).toHaveLength(1);
  });

  it('says why Google refuses a mail', async () => {
    const { address, account } = openMailbox();
    const mail = mailFrom(address, { to: '' });
    const sentence = /Recipient address required/;
    await expect(send(account, mail)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(sentence),
    });
  });

  it('does not begin for a mail that is too large for the API', async () => {
    const { address, account } = openMailbox();
    const megabyte = Buffer.alloc(1_048_576, 'x');
    const whole = () => Readable.from(Array.from({ length: 36 }, () => megabyte));
    let begun = 0;
    const steps = { draftId: null, onDraft: async () => {}, beforeSend: async () => void begun++ };
    const sending = account.send({ ...mailFrom(address), whole }, steps);
    await expect(sending).rejects.toMatchObject({ kind: 'refused', code: 'too_large', mayHaveHappened: false });
    expect(begun).toBe(0);
  });
});

async function foundSince(account: ProviderAccount, cursor: string) {
  const found = [];
  for await (const page of account.changes(cursor)) found.push(...page.found);
  return found;
}

function mailFrom(
  address: string,
  { to = 'cora@example.com', threadId = null }: { to?: string; threadId?: string | null } = {},
): HostedMail {
  const rfcMessageId = `answer-${++count}@kontor.example.org`;
  const head = [
    `From: ${address}`,
    ...(to === '' ? [] : [`To: ${to}`]),
    'Subject: An answer',
    `Message-ID: <${rfcMessageId}>`,
    `X-Kontor-Message-ID: <${rfcMessageId}>`,
  ];
  const whole = () => Readable.from([Buffer.from(`${head.join('\r\n')}\r\n\r\nGood day.\r\n`)]);
  return { rfcMessageId, threadId, bcc: [], whole, withoutFiles: whole, files: [] };
}

function send(account: ProviderAccount, mail: HostedMail) {
  const steps: SendSteps = { draftId: null, onDraft: async () => {}, beforeSend: async () => {} };
  return account.send(mail, steps);
}
