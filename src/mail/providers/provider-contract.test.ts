import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  keepAccess,
  openGmailWorld,
  openGraphWorld,
  type ProviderWorld,
  waitSeconds,
} from '../../../test/provider-worlds.ts';
import { composeMail } from '../compose.ts';
import { parseMail } from '../parse.ts';
import { type FoundMail, type HostedMail, type ProviderAccount, ProviderFault, type SendSteps } from '../provider.ts';

describe.each([
  ['mail-a', openGraphWorld],
  ['mail-b', openGmailWorld],
] as const)('%s keeps the contract of a provider:', (name, open) => {
  let world: ProviderWorld;
  beforeAll(async () => {
    world = await open();
    expect(world.provider.name).toBe(name);
  });
  afterAll(() => world.close());

  const openMailbox = (signal?: AbortSignal) => {
    const { address, refreshToken } = world.addMailbox();
    const access = keepAccess(world.provider, refreshToken, signal);
    return { address, access, account: world.provider.openAccount(access) };
  };

  describe('consent', () => {
    const redirectUri = 'http://127.0.0.1:9/callback';
    const consent = async (address: string, verifier: string) => {
      const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
      const url = world.provider.consentUrl({ redirectUri, state: 'a state', codeChallenge, loginHint: address });
      const response = await fetch(url, { redirect: 'manual' });
      const back = new URL(response.headers.get('location') ?? '');
      return { code: back.searchParams.get('code') ?? '', state: back.searchParams.get('state') };
    };
    const newVerifier = () => randomBytes(48).toString('base64url');

    it('leads to tokens for the mailbox of whoever consented', async () => {
      const { address } = world.addMailbox();
      const codeVerifier = newVerifier();
      const { code, state } = await consent(address, codeVerifier);
      expect(state).toBe('a state');
      const tokens = await world.provider.redeemCode({ code, codeVerifier, redirectUri });
      expect(tokens).toMatchObject({ refreshToken: expect.any(String), expiresInSeconds: expect.any(Number) });
      const account = world.provider.openAccount({
        token: async () => tokens.accessToken,
        renew: () => Promise.reject(new Error('it is fresh')),
      });
      expect(await account.profile()).toMatchObject({ address });
    });

    it('is of no use to whoever lacks the verifier, nor a second time', async () => {
      const { address } = world.addMailbox();
      const codeVerifier = newVerifier();
      const redeem = (grant: { code: string; codeVerifier: string }) =>
        world.provider.redeemCode({ ...grant, redirectUri });
      const stolen = await consent(address, codeVerifier);
      await expectFault(redeem({ code: stolen.code, codeVerifier: newVerifier() }), { kind: 'unauthorized' });
      const { code } = await consent(address, codeVerifier);
      await redeem({ code, codeVerifier });
      await expectFault(redeem({ code, codeVerifier }), { kind: 'unauthorized' });
    });

    it('to less than reading and sending does not suffice', async () => {
      const { refreshToken } = world.addMailbox('reading alone');
      await expectFault(world.provider.refresh(refreshToken), { kind: 'unauthorized', code: 'insufficient_scope' });
    });

    it('cannot be asked for without an application', async () => {
      const provider = world.openProvider(undefined);
      expect(() => provider.consentUrl({ redirectUri, state: '', codeChallenge: '' })).toThrow(ProviderFault);
      await expectFault(provider.refresh('a token'), { kind: 'misconfigured' });
    });
  });

  describe('refreshing', () => {
    it('brings tokens as often as it is asked for', async () => {
      const { refreshToken } = world.addMailbox();
      const first = await world.provider.refresh(refreshToken);
      expect(first.refreshToken !== null).toBe(world.rotates);
      const second = await world.provider.refresh(first.refreshToken ?? refreshToken);
      expect(second.accessToken).not.toBe(first.accessToken);
    });

    it('says when the grant is dead', async () => {
      const { address, refreshToken } = world.addMailbox();
      world.revoke(address);
      const fault = await expectFault(world.provider.refresh(refreshToken), { kind: 'unauthorized' });
      expect(fault.message).toMatch(/again/);
      expect(fault.message).not.toContain(refreshToken);
    });

    it('says that the application is refused, which is not the mailbox’s fault', async () => {
      const { refreshToken } = world.addMailbox();
      const stranger = world.openProvider({ id: 'client-of-kontor', secret: 'wrong' });
      await expectFault(stranger.refresh(refreshToken), { kind: 'misconfigured', code: 'invalid_client' });
    });

    it('says when the provider is down, which is no word on the grant', async () => {
      const { address, refreshToken } = world.addMailbox();
      world.fail('token', address, { kind: 'down' });
      await expectFault(world.provider.refresh(refreshToken), { kind: 'unavailable' });
      await world.provider.refresh(refreshToken);
    });
  });

  describe('changes', () => {
    it('are what came after the anchor, and no more once the cursor is kept', async () => {
      const { address, account } = openMailbox();
      await world.deliver(address);
      const anchor = await account.anchor();
      const received = await world.deliver(address);
      const sent = await world.sendByHand(address, { to: ['cora@example.com'] });
      const { found, cursor } = await changesOf(account, anchor);
      expect(await foldersOf(account, found)).toEqual({ [received]: 'inbox', [sent]: 'sent' });
      expect(await changesOf(account, cursor)).toMatchObject({ found: [] });
      const later = await world.deliver(address);
      expect(idsOf((await changesOf(account, cursor)).found)).toEqual([later]);
    });

    it('are told again from an older cursor', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address);
      await changesOf(account, anchor);
      expect(idsOf((await changesOf(account, anchor)).found)).toEqual([id]);
    });

    it('come page by page, with the cursor on the last alone', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const ids = await Promise.all(
        Array.from({ length: world.pageOverflow }, () => world.deliver(address, smallMail())),
      );
      const pages = await pagesOf(account, anchor);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.map(({ cursor }) => cursor !== null)).toEqual([...pages.slice(1).map(() => false), true]);
      expect(idsOf(pages.flatMap(({ found }) => found)).sort()).toEqual(ids.sort());
    });

    it('bring mail that is taken out of the junk folder', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address, {}, { place: 'junk' });
      const { found, cursor } = await changesOf(account, anchor);
      expect(await foldersOf(account, found)).toEqual({});
      world.move(address, id, 'inbox');
      expect(await foldersOf(account, (await changesOf(account, cursor)).found)).toEqual({ [id]: 'inbox' });
    });

    it('say when the provider no longer knows the cursor', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      await world.deliver(address);
      world.loseHistory(address);
      await expectFault(changesOf(account, anchor), { kind: 'cursor-lost' });
      await expectFault(changesOf(account, 'of another API'), { kind: 'cursor-lost' });
      const { cursor } = await changesOf(account, await account.anchor());
      const id = await world.deliver(address);
      expect(idsOf((await changesOf(account, cursor)).found)).toEqual([id]);
    });
  });

  describe('a mail', () => {
    it('is fetched as it came, with its thread and the time it came', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const before = Date.now();
      const [first] = [
        await world.deliver(address, { subject: 'Grüße', text: 'Zeile eins\nzwei', messageId: 'a@b.example' }),
      ];
      await world.deliver(address, { subject: 'Re: Grüße', inReplyTo: 'a@b.example', references: ['a@b.example'] });
      const { found } = await changesOf(account, anchor);
      const mails = await Promise.all(found.map((mail) => account.fetch(mail)));
      const [mail, reply] = mails.map((fetched) => ('raw' in fetched ? fetched : undefined));
      expect(mail).toMatchObject({ providerId: first, folder: 'inbox', threadId: expect.any(String) });
      expect(reply?.threadId).toBe(mail?.threadId);
      expect(mail?.receivedAt.getTime()).toBeGreaterThanOrEqual(before - 1_000);
      const parsed = await parseMail(mail?.raw ?? Buffer.alloc(0));
      expect(parsed).toMatchObject({ subject: 'Grüße', messageId: 'a@b.example' });
      expect(parsed.text).toContain('Zeile eins\nzwei');
    });

    it.each(['junk', 'bin'] as const)('is none for tickets once it lies in %s', async (place) => {
      const { address, account } = openMailbox();
      const id = await world.deliver(address);
      world.move(address, id, place);
      const skipped = place === 'bin' ? 'deleted' : place;
      expect(await account.fetch({ providerId: id, folder: 'inbox' })).toEqual({ skipped });
    });

    it('may be gone when it is fetched', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address);
      world.remove(address, id);
      expect(await account.fetch({ providerId: id, folder: 'inbox' })).toEqual({ skipped: 'gone' });
      expect(await foldersOf(account, (await changesOf(account, anchor)).found)).toEqual({});
    });

    it('that is a draft is none', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.saveDraft(address, { to: ['cora@example.com'] });
      expect(await account.fetch({ providerId: id, folder: 'inbox' })).toEqual({ skipped: 'draft' });
      expect(await foldersOf(account, (await changesOf(account, anchor)).found)).toEqual({});
    });
  });

  describe('history', () => {
    it('is the mail of inbox and sent folder that came since then', async () => {
      const { address, account } = openMailbox();
      const since = new Date(Date.now() - 86_400_000);
      const at = (days: number) => ({ receivedAt: new Date(Date.now() - days * 86_400_000) });
      await world.deliver(address, {}, at(2));
      await world.deliver(address, {}, { place: 'junk' });
      await world.saveDraft(address, {});
      const received = await world.deliver(address, {}, at(0.5));
      const sent = await world.sendByHand(address, { to: ['cora@example.com'] });
      const found = (await historyOf(account, since)).flat();
      expect(await foldersOf(account, found)).toEqual({ [received]: 'inbox', [sent]: 'sent' });
    });

    it('comes page by page, and goes on where it was left', async () => {
      const { address, access, account } = openMailbox();
      const ids = await Promise.all(Array.from({ length: 120 }, () => world.deliver(address, smallMail())));
      const since = new Date(Date.now() - 86_400_000);
      const first = await account.history(since, '');
      expect(first.next).not.toBeNull();
      const rest = await historyOf(world.provider.openAccount(access), since, first.next ?? '');
      expect([...new Set(idsOf([first.found, ...rest].flat()))].sort()).toEqual(ids.sort());
    });
  });

  describe('watching', () => {
    it('lasts a while, is renewed, and begins anew in the place of the former watch', async () => {
      const { address, account } = openMailbox();
      for (const key of account.watchKeys) {
        const watch = await account.watch(key, world.target);
        expect(watch.key).toBe(key);
        expect(watch.expiresAt.getTime()).toBeGreaterThan(Date.now() + 3 * 86_400_000);
        const renewed = await account.renewWatch(watch, world.target);
        expect(renewed).toMatchObject({ key, subscriptionId: watch.subscriptionId });
        await account.watch(key, world.target);
      }
      expect(world.watches(address)).toBe(account.watchKeys.length);
    });

    it('that lapsed begins anew, at the latest when it is told that there is nothing to renew', async () => {
      const lapsing = await open();
      try {
        const { address, refreshToken } = lapsing.addMailbox();
        const account = lapsing.provider.openAccount(keepAccess(lapsing.provider, refreshToken));
        const watches = await Promise.all(account.watchKeys.map((key) => account.watch(key, lapsing.target)));
        await lapsing.letWatchesLapse();
        expect(lapsing.watches(address)).toBe(0);
        for (const watch of watches) {
          await account.renewWatch(watch, lapsing.target).catch((fault) => {
            expect(fault).toMatchObject({ kind: 'not-found' });
            return account.watch(watch.key, lapsing.target);
          });
        }
        expect(lapsing.watches(address)).toBe(watches.length);
      } finally {
        await lapsing.close();
      }
    });

    it('ends when it is told to, also a second time', async () => {
      const { address, account } = openMailbox();
      const watches = await Promise.all(account.watchKeys.map((key) => account.watch(key, world.target)));
      for (const watch of [...watches, ...watches]) await account.stopWatch(watch);
      expect(world.watches(address)).toBe(0);
    });
  });

  describe('sending', () => {
    it('reaches the customer, and tells of the copy as the customer knows it', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const mail = await answerFor(address);
      const copy = (await sendNow(account, mail)) ?? (await foundCopy(account, mail));
      const [received] = await receivedBy(world, mail);
      expect(received?.headers['x-kontor-message-id']).toBe(`<${mail.rfcMessageId}>`);
      expect(copy).toEqual({
        providerId: expect.any(String),
        threadId: expect.any(String),
        wireMessageId: received?.messageId,
      });
      const { found } = await changesOf(account, anchor);
      expect(await foldersOf(account, found)).toEqual({ [copy?.providerId ?? '']: 'sent' });
    });

    it('carries files that are too large for one request', async () => {
      const { address, account } = openMailbox();
      const content = Buffer.alloc(4_000_000, 'the same again. ');
      await sendNow(account, await answerFor(address, { content }));
      const [raw = Buffer.alloc(0)] = world.received(`cora-${mailCount}@example.com`);
      const { attachments } = await parseMail(raw);
      expect(attachments.map(({ fileName }) => fileName)).toEqual(['report.txt']);
      expect(content.equals(attachments[0]?.content ?? content.subarray(1))).toBe(true);
    });

    it('continues the thread, and the answer to it does', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      await world.deliver(address, { subject: 'Broken lamp', messageId: 'lamp@mail.example.com' });
      const [question] = await fetchAll(account, (await changesOf(account, anchor)).found);
      const mail = await answerFor(address, {
        subject: 'Re: Broken lamp',
        inReplyTo: 'lamp@mail.example.com',
        threadId: question?.threadId ?? null,
      });
      const copy = (await sendNow(account, mail)) ?? (await foundCopy(account, mail));
      expect(copy?.threadId).toBe(question?.threadId);
      const providerId = await world.reply(mail.customer);
      expect(await account.fetch({ providerId, folder: 'inbox' })).toMatchObject({ threadId: question?.threadId });
    });

    it('does nothing when the step before it fails', async () => {
      const { address, account } = openMailbox();
      const mail = await answerFor(address);
      const steps = recordedSteps({ beforeSend: () => Promise.reject(new Error('not now')) });
      await expect(account.send(mail, steps)).rejects.toThrow('not now');
      expect(await receivedBy(world, mail)).toEqual([]);
      expect(await account.findSent(soughtOf(mail, steps))).toBe(steps.draftId === null ? undefined : 'draft');
      const again = recordedSteps({ draftId: steps.draftId });
      await account.send(mail, again);
      expect(again.taken.at(-1)).toBe('before send');
      expect(await receivedBy(world, mail)).toHaveLength(1);
    });

    it.each(['broken', 'down'] as const)('may have happened when the answer is %s, and is then found', async (kind) => {
      const { address, account } = openMailbox();
      const mail = await answerFor(address);
      const steps = recordedSteps();
      world.fail('send', address, { kind, isCarriedOut: true });
      await expectFault(account.send(mail, steps), { kind: 'unavailable', mayHaveHappened: true });
      const copy = await foundCopy(account, mail, steps);
      const [received] = await receivedBy(world, mail);
      expect(copy?.wireMessageId).toBe(received?.messageId);
    });

    it('may have happened when we end it while the answer is awaited, and is then found', async () => {
      const ending = new AbortController();
      const { address, access, account } = openMailbox(ending.signal);
      const mail = await answerFor(address);
      const steps = recordedSteps();
      world.fail('send', address, { kind: 'stalled', isCarriedOut: true });
      const sending = expectFault(account.send(mail, steps), { code: 'aborted', mayHaveHappened: true });
      await vi.waitFor(() => expect(world.received(mail.customer)).toHaveLength(1), waiting);
      ending.abort();
      await sending;
      const restarted = world.provider.openAccount({ token: access.token, renew: access.renew });
      expect(await foundCopy(restarted, mail, steps)).toMatchObject({ providerId: expect.any(String) });
    });

    it('that did not happen is not found, and happens once when it is tried again', async () => {
      const { address, account } = openMailbox();
      const mail = await answerFor(address);
      const steps = recordedSteps();
      world.fail('send', address, { kind: 'broken' });
      await expectFault(account.send(mail, steps), { kind: 'unavailable', mayHaveHappened: true });
      expect(await account.findSent(soughtOf(mail, steps))).toBe(steps.draftId === null ? undefined : 'draft');
      await account.send(mail, recordedSteps({ draftId: steps.draftId }));
      expect(await receivedBy(world, mail)).toHaveLength(1);
    });

    it('for which there is no patience surely did not happen', async () => {
      const { address, account } = openMailbox();
      world.fail('send', address, { kind: 'throttled' });
      const fault = { kind: 'throttled', retryAfterMs: waitSeconds * 1_000, mayHaveHappened: false } as const;
      await expectFault(sendNow(account, await answerFor(address)), fault);
    });

    it('of another mail is not taken for it', async () => {
      const { address, account } = openMailbox();
      await sendNow(account, await answerFor(address));
      expect(await account.findSent(soughtOf(await answerFor(address)))).toBeUndefined();
    });
  });

  describe('what goes wrong', () => {
    const trouble = {
      throttled: { kind: 'throttled', retryAfterMs: waitSeconds * 1_000 },
      down: { kind: 'unavailable' },
      broken: { kind: 'unavailable' },
      forbidden: { kind: 'forbidden' },
    } as const;
    const asking = {
      profile: (account: ProviderAccount) => account.profile(),
      changes: async (account: ProviderAccount, anchor: string) => changesOf(account, anchor),
      fetch: (account: ProviderAccount, _anchor: string, providerId: string) =>
        account.fetch({ providerId, folder: 'inbox' }),
      history: (account: ProviderAccount) => account.history(new Date(), ''),
    } as const;

    it.each(Object.keys(trouble) as (keyof typeof trouble)[])('is told by its kind: %s', async (kind) => {
      const { address, access, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address);
      for (const asked of Object.keys(asking) as (keyof typeof asking)[]) {
        world.fail(asked, address, { kind });
        const fault = await expectFault(asking[asked](account, anchor, id), {
          ...trouble[kind],
          mayHaveHappened: false,
        });
        // It is shown, and logged.
        expect(inspect(fault, { depth: 5 })).not.toContain(await access.token());
      }
    });

    it('with an access token that ran out is mended by another, once', async () => {
      const { address, access, account } = openMailbox();
      await account.profile();
      world.expireAccess(address);
      expect(await account.profile()).toMatchObject({ address });
      expect(access.renewals()).toBe(1);
      world.fail('profile', address, { kind: 'unauthorized', times: 2 });
      await expectFault(account.profile(), { kind: 'unauthorized' });
      expect(access.renewals()).toBe(2);
    });

    it('with the access itself is told as it is', async () => {
      const { address, account } = openMailbox();
      await account.profile();
      world.revoke(address);
      await expectFault(account.profile(), { kind: 'unauthorized' });
    });

    it('does not hold up whoever ends the requests', async () => {
      const ending = new AbortController();
      const { account } = openMailbox(ending.signal);
      await account.profile();
      ending.abort();
      await expectFault(account.profile(), { kind: 'unavailable', code: 'aborted' });
    });
  });
});

let mailCount = 0;

/** Its bytes as they are: hundreds of mails are composed more slowly than they are read. */
function smallMail(): Buffer {
  return Buffer.from(`From: cora@example.com\r\nMessage-ID: <${++mailCount}@mail.example.com>\r\n\r\nGood day.\r\n`);
}

async function expectFault(work: Promise<unknown>, fault: Partial<ProviderFault>): Promise<ProviderFault> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProviderFault);
  expect(error).toMatchObject(fault);
  return error as ProviderFault;
}

async function pagesOf(account: ProviderAccount, from: string) {
  const pages: { found: FoundMail[]; cursor: string | null }[] = [];
  for await (const page of account.changes(from)) pages.push(page);
  return pages;
}

async function changesOf(account: ProviderAccount, from: string): Promise<{ found: FoundMail[]; cursor: string }> {
  const pages = await pagesOf(account, from);
  return { found: pages.flatMap(({ found }) => found), cursor: pages.at(-1)?.cursor ?? '' };
}

async function historyOf(account: ProviderAccount, since: Date, from = ''): Promise<FoundMail[][]> {
  const pages: FoundMail[][] = [];
  for (let page: string | null = from; page !== null; ) {
    const { found, next } = await account.history(since, page);
    pages.push(found);
    page = next;
  }
  return pages;
}

/** A mail may be listed several times. */
function idsOf(found: readonly FoundMail[]): string[] {
  return [...new Set(found.map(({ providerId }) => providerId))];
}

async function fetchAll(account: ProviderAccount, found: readonly FoundMail[]) {
  const once = new Map(found.map((mail) => [mail.providerId, mail]));
  const fetched = await Promise.all([...once.values()].map((mail) => account.fetch(mail)));
  return fetched.filter((mail) => 'raw' in mail);
}

async function foldersOf(account: ProviderAccount, found: readonly FoundMail[]): Promise<Record<string, string>> {
  return Object.fromEntries((await fetchAll(account, found)).map(({ providerId, folder }) => [providerId, folder]));
}

/** Each to a customer of its own. */
async function answerFor(
  address: string,
  answer: { subject?: string; inReplyTo?: string; threadId?: string | null; content?: Buffer } = {},
): Promise<HostedMail & { customer: string }> {
  const { subject = 'An answer', inReplyTo = null, threadId = null, content } = answer;
  const customer = `cora-${++mailCount}@example.com`;
  const rfcMessageId = `answer-${mailCount}.${randomBytes(8).toString('hex')}@kontor.example.org`;
  const draft = {
    from: { name: 'Ada', email: address },
    to: [{ name: null, email: customer }],
    subject,
    text: 'Good day,\nhere is the answer.',
    messageId: rfcMessageId,
    inReplyTo,
    references: inReplyTo === null ? [] : [inReplyTo],
    date: new Date(),
    namesOwnId: true,
  };
  const file = { fileName: 'report.txt', contentType: 'text/plain', contentId: null };
  const attachments = content === undefined ? [] : [{ ...file, content }];
  const files = attachments.map(({ content, ...about }) => ({
    ...about,
    sizeBytes: content.length,
    open: async () => Readable.from([content]),
  }));
  const raw = await composeMail({ ...draft, attachments });
  const bare = await composeMail(draft);
  return {
    rfcMessageId,
    threadId,
    whole: () => Readable.from([raw]),
    withoutFiles: () => Readable.from([bare]),
    files,
    customer,
  };
}

type RecordedSteps = SendSteps & { taken: string[] };

function recordedSteps(steps: Partial<SendSteps> = {}): RecordedSteps {
  const { draftId = null, beforeSend = async () => {} } = steps;
  const recorded: RecordedSteps = {
    taken: [],
    draftId,
    onDraft: async (id) => {
      recorded.draftId = id;
      recorded.taken.push('draft');
    },
    beforeSend: async () => {
      recorded.taken.push('before send');
      await beforeSend();
    },
  };
  return recorded;
}

function sendNow(account: ProviderAccount, mail: HostedMail) {
  return account.send(mail, recordedSteps());
}

function soughtOf({ rfcMessageId, threadId }: HostedMail, { draftId }: { draftId: string | null } = { draftId: null }) {
  return { rfcMessageId, threadId, draftId, since: new Date(Date.now() - 60_000) };
}

/** As long as a busy machine may take. */
const waiting = { timeout: 15_000, interval: 20 };

/** The copy shows a while after the mail has left. */
async function foundCopy(account: ProviderAccount, mail: HostedMail, steps?: RecordedSteps) {
  return await vi.waitFor(async () => {
    const found = await account.findSent(soughtOf(mail, steps));
    if (found === undefined || found === 'draft') throw new Error('there is no trace of it yet');
    return found;
  }, waiting);
}

async function receivedBy(world: ProviderWorld, { customer }: { customer: string }) {
  return Promise.all(
    world.received(customer).map(async (raw) => {
      const { messageId, headers } = await parseMail(raw);
      return { messageId, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
    }),
  );
}
