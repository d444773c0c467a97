import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { composeMail, composeStream } from '@kontor/mail/compose.ts';
import { parseMail } from '@kontor/mail/parse.ts';
import { describe, expect, it, vi } from 'vitest';
import {
  changesOf,
  expectFault,
  fetchAll,
  foldersOf,
  holdToConsent,
  holdToContract,
} from '../../../test/worlds/provider-contract.ts';
import { type AnyWorld, waitSeconds } from '../../../test/worlds/provider-worlds.ts';
import type { HostedMail, ProviderAccount, SendSteps } from '../provider.ts';

holdToContract((world, can) => {
  const { openMailbox } = world;

  describe('sending', () => {
    it('reaches the customer, and returns the copy with the customer’s Message-ID', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const mail = await answerFor(address);
      const copy = (await sendNow(account, mail)) ?? (await foundCopy(account, mail));
      const [received] = await receivedBy(world, mail);
      expect(received?.headers['x-kontor-message-id']).toBe(`<${mail.rfcMessageId}>`);
      expect(copy).toEqual({
        providerId: expect.any(String),
        threadId: world.threadId,
        wireMessageId: received?.messageId,
      });
      const { found } = await changesOf(account, anchor);
      expect(await foldersOf(account, found)).toEqual({ [copy?.providerId ?? '']: 'sent' });
    });

    it('reaches the recipients in Bcc, whom nobody sees', async () => {
      const { address, account } = openMailbox();
      const bcc = [`hidden-${mailCount}@example.com`, `secret-${mailCount}@example.com`];
      const mail = await answerFor(address, { bcc });
      await sendNow(account, mail);
      for (const recipient of [mail.customer, ...bcc]) {
        const [raw = Buffer.alloc(0), ...others] = world.received(recipient);
        expect(others).toEqual([]);
        expect(raw.toString()).toContain(mail.rfcMessageId);
        expect(raw.toString()).not.toMatch(/hidden|secret|^bcc/im);
      }
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

    it('continues the thread, and so does the answer', async () => {
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

    it('does nothing when the step before fails', async () => {
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

    it.runIf(can.fail).each(['broken', 'down'] as const)(
      'may have succeeded when the answer is %s, and the copy is found',
      async (kind) => {
        const { address, account } = openMailbox();
        const mail = await answerFor(address);
        const steps = recordedSteps();
        world.fail?.('send', address, { kind, isCarriedOut: true });
        await expectFault(account.send(mail, steps), { kind: 'unavailable', mayHaveHappened: true });
        const copy = await foundCopy(account, mail, steps);
        const [received] = await receivedBy(world, mail);
        expect(copy?.wireMessageId).toBe(received?.messageId);
      },
    );

    it.runIf(can.fail)('may have succeeded when we abort during the answer, and the copy is found', async () => {
      const ending = new AbortController();
      const { address, account } = openMailbox(ending.signal);
      const mail = await answerFor(address);
      const steps = recordedSteps();
      world.fail?.('send', address, { kind: 'stalled', isCarriedOut: true });
      const sending = expectFault(account.send(mail, steps), { code: 'aborted', mayHaveHappened: true });
      await vi.waitFor(() => expect(world.received(mail.customer)).toHaveLength(1), waiting);
      ending.abort();
      await sending;
      const restarted = world.openAgain(address);
      expect(await foundCopy(restarted, mail, steps)).toMatchObject({ providerId: expect.any(String) });
    });

    it.runIf(can.fail)('that failed is not found, and succeeds once on a retry', async () => {
      const { address, account } = openMailbox();
      const mail = await answerFor(address);
      const steps = recordedSteps();
      world.fail?.('send', address, { kind: 'broken' });
      await expectFault(account.send(mail, steps), { kind: 'unavailable', mayHaveHappened: true });
      expect(await account.findSent(soughtOf(mail, steps))).toBe(steps.draftId === null ? undefined : 'draft');
      await account.send(mail, recordedSteps({ draftId: steps.draftId }));
      expect(await receivedBy(world, mail)).toHaveLength(1);
    });

    it('does not confuse the mail with another mail', async () => {
      const { address, account } = openMailbox();
      await sendNow(account, await answerFor(address));
      expect(await account.findSent(soughtOf(await answerFor(address)))).toBeUndefined();
    });
  });
});

holdToConsent((world) => {
  const { openMailbox } = world;

  describe('sending', () => {
    it('that is throttled says how long to wait', async () => {
      const { address, account } = openMailbox();
      world.fail('send', address, { kind: 'throttled' });
      const fault = { kind: 'throttled', retryAfterMs: waitSeconds * 1_000 } as const;
      await expectFault(sendNow(account, await answerFor(address)), fault);
    });

    it('certainly failed when our access was refused', async () => {
      const { address, account } = openMailbox();
      world.fail('send', address, { kind: 'unauthorized', times: 2 });
      await expectFault(sendNow(account, await answerFor(address)), { kind: 'unavailable', mayHaveHappened: false });
    });
  });
});

let mailCount = 0;

/** Composes mails, each to its own customer. */
async function answerFor(
  address: string,
  answer: { subject?: string; inReplyTo?: string; threadId?: string | null; content?: Buffer; bcc?: string[] } = {},
): Promise<HostedMail & { customer: string }> {
  const { subject = 'An answer', inReplyTo = null, threadId = null, content, bcc = [] } = answer;
  const customer = `cora-${++mailCount}@example.com`;
  const rfcMessageId = `answer-${mailCount}.${randomBytes(8).toString('hex')}@kontor.example.org`;
  const draft = {
    from: { name: 'Ada', email: address },
    to: [{ name: null, email: customer }],
    bcc: bcc.map((email) => ({ name: null, email })),
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
  const bare = await composeMail(draft);
  return {
    sender: address,
    recipients: [customer, ...bcc],
    rfcMessageId,
    threadId,
    bcc,
    whole: (options) => composeStream({ ...draft, attachments }, options)(),
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
  const findTaken = async () => new Set<string>();
  return { rfcMessageId, threadId, draftId, since: new Date(Date.now() - 60_000), findTaken };
}

/** A long time, for a busy machine. */
const waiting = { timeout: 30_000, interval: 20 };

/** Waits for the copy, which appears some time after the mail has left. */
async function foundCopy(account: ProviderAccount, mail: HostedMail, steps?: RecordedSteps) {
  return await vi.waitFor(async () => {
    const found = await account.findSent(soughtOf(mail, steps));
    if (found === undefined || typeof found === 'string') throw new Error('there is no trace of it yet');
    return found;
  }, waiting);
}

async function receivedBy(world: AnyWorld, { customer }: { customer: string }) {
  return Promise.all(
    world.received(customer).map(async (raw) => {
      const { messageId, headers } = await parseMail(raw);
      return { messageId, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
    }),
  );
}
