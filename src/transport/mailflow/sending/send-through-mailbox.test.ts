import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { earlier } from '../../../../test/harness/earlier.ts';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { hostedDesk, openHosted, type Written } from '../../../../test/worlds/hosted-desk.ts';
import { sql } from '../../../ground/database/sql.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';
import { markBounced } from '../../deliveries/settle-delivery.ts';

const hosted = await openHosted(() => house.clock?.now() ?? new Date());
afterAll(() => hosted.close());
const house = useHouse({ ...hosted.settings, MAIL_FROM: 'Support <support@desk.example>' });

describe.each(['mail-a', 'mail-b'] as const)('through %s, an answer', (provider) => {
  const side = hosted.sides[provider];
  const address = `help@${provider}.example`;
  let owner: Person;
  let agent: Person;
  let mailboxId: string;
  const desk = hostedDesk(house, side, () => ({ owner, agent }));
  const { bent, deliveryOf } = desk;
  /** Before each further attempt, the mailbox was read without showing the mail. */
  const run: typeof desk.run = async (app, answer, attempt = 1) => {
    if (attempt > 1) await noteRead();
    return desk.run(app, answer, attempt);
  };
  const noteRead = () =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update mailbox_syncs set synced_at = ${tx.now}
        where workspace_id = ${owner.workspaceId} and mailbox_id = ${mailboxId}`),
    );

  beforeAll(async () => {
    owner = await makeOwner(house);
    agent = await makeMember(house, owner.workspaceId, 'agent');
    mailboxId = await desk.connect(address);
  });

  const write = () => desk.write(mailboxId);
  const mailsOf = ({ to }: Written) => side.received(to);

  /** The process dies here: this promise never settles. */
  function death(): { die: () => Promise<never>; reached: Promise<void> } {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    return {
      reached,
      die: () => {
        resolve();
        return new Promise<never>(() => {});
      },
    };
  }

  describe('whose process is killed', () => {
    test('before its first request is sent by the next attempt', async () => {
      const cut = await write();
      const { die, reached } = death();
      void run(
        bent(() => ({ send: die })),
        cut,
      );
      await reached;
      await run(house.app, cut, 2);
      expect(await deliveryOf(cut)).toMatchObject({ status: 'sent', attempts: 2 });
      expect(mailsOf(cut)).toHaveLength(1);
    });

    test('before it saved the handover is sent by the next attempt, with the same draft if any', async () => {
      const cut = await write();
      const { die, reached } = death();
      const dies = bent((account) => ({ send: (mail, steps) => account.send(mail, { ...steps, beforeSend: die }) }));
      void run(dies, cut);
      await reached;
      await run(house.app, cut, 2);
      expect(await deliveryOf(cut)).toMatchObject({ status: 'sent', attempts: 2 });
      expect(mailsOf(cut)).toHaveLength(1);
      expect(side.draftsIn(address)).toBe(0);
    });

    test('right after saving the handover is looked for, and sent once it certainly did not leave', async () => {
      const cut = await write();
      const { die, reached } = death();
      const dies = bent((account) => ({
        send: (mail, steps) => account.send(mail, { ...steps, beforeSend: () => steps.beforeSend().then(die) }),
      }));
      void run(dies, cut);
      await reached;
      if (!side.hasDrafts) {
        for (const attempt of [2, 3]) {
          await expect(run(house.app, cut, attempt)).rejects.toThrow('for now: unsure');
          const delivery = await deliveryOf(cut);
          expect(delivery).toMatchObject({ status: 'sending', error: expect.stringContaining('not known yet') });
          expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(Date.now());
        }
        house.clock.advance(2 * 60_000);
      }
      await run(house.app, cut, 4);
      expect(await deliveryOf(cut)).toMatchObject({ status: 'sent', error: null, nextAttemptAt: null });
      expect(mailsOf(cut)).toHaveLength(1);
    });

    test('after the mailbox accepted it is found there, and not sent again', async () => {
      const cut = await write();
      const { die, reached } = death();
      void run(
        bent((account) => ({ send: (mail, steps) => account.send(mail, steps).then(die) })),
        cut,
      );
      await reached;
      await untilSent(cut, 2);
      expect(mailsOf(cut)).toHaveLength(1);
    });
  });

  /** The copy may appear a moment late, and the machine may be busy. */
  async function untilSent(answer: Written, attempt: number): Promise<void> {
    await vi.waitFor(
      async () => {
        await run(house.app, answer, attempt).catch(() => {});
        expect(await deliveryOf(answer)).toMatchObject({ status: 'sent', error: null });
      },
      { timeout: 30_000, interval: 20 },
    );
  }

  test.each([
    ['a fault', () => side.failSend({ isCarriedOut: true })],
    ['a broken connection', () => side.breakSend()],
  ])('that left and was answered with %s is found, and not sent again', async (_name, fail) => {
    const lost = await write();
    fail();
    await expect(run(house.app, lost)).rejects.toThrow('for now');
    const error = expect.stringContaining('not known yet');
    expect(await deliveryOf(lost)).toMatchObject({ status: 'sending', error });
    await untilSent(lost, 2);
    expect(mailsOf(lost)).toHaveLength(1);
  });

  test.skipIf(provider === 'mail-a')('is looked for only once the mailbox was read, or after an hour', async () => {
    const breakOff = async () => {
      const lost = await write();
      side.breakSend();
      await expect(run(house.app, lost)).rejects.toThrow('for now');
      return lost;
    };
    const looked = vi.fn(async () => undefined);
    const watched = bent(() => ({ findSent: looked }));
    const lost = await breakOff();
    await expect(desk.run(watched, lost, 2)).rejects.toThrow('for now: unread');
    expect(looked).not.toHaveBeenCalled();
    await expect(run(watched, lost, 3)).rejects.toThrow('for now: unsure');
    expect(looked).toHaveBeenCalledTimes(1);
    await untilSent(lost, 4);
    expect(mailsOf(lost)).toHaveLength(1);

    house.clock.advance(1);
    const unread = await breakOff();
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update mailbox_syncs set synced_at = ${earlier(sql`synced_at`, '2 hours')}
        where workspace_id = ${owner.workspaceId} and mailbox_id = ${mailboxId}`),
    );
    await expect(desk.run(watched, unread, 2)).rejects.toThrow('for now: unread');
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update messages set handing_over_at = ${earlier(sql`handing_over_at`, '1 hour')}
        where workspace_id = ${owner.workspaceId} and id = ${unread.messageId}`),
    );
    await expect(desk.run(watched, unread, 3)).rejects.toThrow('for now: unsure');
    expect(looked).toHaveBeenCalledTimes(2);
  });

  test('whose mailbox cannot be asked until the last attempt ends with the advice to look for it', async () => {
    const lost = await write();
    side.breakSend();
    await expect(run(house.app, lost)).rejects.toThrow('for now');
    const busy = new ProviderFault('unavailable', '503', 'Busy.');
    await run(
      bent(() => ({ findSent: () => Promise.reject(busy) })),
      lost,
      19,
    );
    const error = expect.stringContaining(`look for it among the sent mail of ${address} before you send it again`);
    expect(await deliveryOf(lost)).toMatchObject({ status: 'uncertain', error });
    expect(mailsOf(lost)).toHaveLength(1);
  });

  test('reaches Bcc recipients, whom the others do not see', async () => {
    const hidden = `hidden@${provider}.example.org`;
    const written = await desk.write(mailboxId, { bccAddresses: [hidden] });
    await run(house.app, written);
    for (const email of [hidden, written.to]) {
      const [raw, ...others] = side.received(email);
      expect(others).toEqual([]);
      expect(raw?.toString()).toContain('Try again.');
      expect(raw?.toString()).not.toMatch(/hidden|^bcc/im);
    }
    const { messages } = await desk.ticketOf(written);
    expect(messages[0]).toMatchObject({ to: [written.to], cc: [], bcc: [hidden] });
  });

  test('that is throttled waits as long as the provider says, and loses no attempt', async () => {
    const early = await write();
    side.throttleSend(300);
    await run(house.app, early);
    // Graph has sent mail despite this answer, so the mailbox is asked before it is told to send again.
    const status = side.hasDrafts ? 'sending' : 'queued';
    expect(await deliveryOf(early)).toMatchObject({ status, attempts: 1 });
    const { runInSeconds, attempts, attemptsMax } = await jobOf(early);
    expect(runInSeconds).toBeGreaterThan(290);
    expect([attempts, attemptsMax]).toEqual([0, 18]);
    await run(house.app, early);
    expect(mailsOf(early)).toHaveLength(1);
  });

  async function jobOf({
    messageId,
  }: Written): Promise<{ runInSeconds: number; attempts: number; attemptsMax: number }> {
    return house.app.db.one(sql`
      select extract(epoch from run_at - now())::float as "runInSeconds", attempts, max_attempts as "attemptsMax"
      from graphile_worker.jobs where key = ${`mail.deliver:${messageId}`}`);
  }

  test.runIf(side.hasDrafts)(
    'that is throttled after it left is found once its copy shows, and not sent again',
    async () => {
      const throttled = await write();
      hosted.graph.behave({ sentDelayMs: 60_000 });
      try {
        hosted.graph.setFault({ on: 'send', status: 429, retryAfterSeconds: 1, isCarriedOut: true });
        await expect(run(house.app, throttled)).rejects.toThrow('for now');
        // The draft is gone, and the copy is not there yet.
        await expect(run(house.app, throttled, 2)).rejects.toThrow('for now: unsure');
        expect(await deliveryOf(throttled)).toMatchObject({ status: 'sending' });
        await hosted.graph.advance(60_001);
        await run(house.app, throttled, 3);
      } finally {
        hosted.graph.behave({ sentDelayMs: 0 });
      }
      expect(await deliveryOf(throttled)).toMatchObject({ status: 'sent', attempts: 3 });
      expect(mailsOf(throttled)).toHaveLength(1);
    },
  );

  test.runIf(side.hasDrafts)(
    'whose draft is gone before it was handed over is asked for, and sent when it surely did not leave',
    async () => {
      const cut = await write();
      const refused = new ProviderFault('forbidden', 'ErrorAccessDenied', 'Not now.');
      let draft = '';
      const refusing = bent((account) => ({
        send: (mail, steps) =>
          account.send(mail, {
            ...steps,
            onDraft: (id) => {
              draft = id;
              return steps.onDraft(id);
            },
            beforeSend: () => Promise.reject(refused),
          }),
      }));
      await expect(run(refusing, cut)).rejects.toThrow('for now');
      hosted.graph.remove(address, draft);
      await expect(run(house.app, cut, 2)).rejects.toThrow('for now');
      expect(await deliveryOf(cut)).toMatchObject({
        status: 'sending',
        error: expect.stringContaining('not known yet'),
      });
      await expect(run(house.app, cut, 3)).rejects.toThrow('for now: unsure');
      house.clock.advance(30 * 60_000);
      await run(house.app, cut, 4);
      expect(await deliveryOf(cut)).toMatchObject({ status: 'sent' });
      expect(mailsOf(cut)).toHaveLength(1);
    },
  );

  test('that is refused fails with the provider’s reason, and reopens its ticket', async () => {
    const refused = await write();
    await owner.call('POST', `/tickets/${refused.ticketId}/status`, { toStatus: 'closed' });
    side.refuseSend('BadRecipient');
    await run(house.app, refused);
    const error = expect.stringContaining('BadRecipient');
    expect(await deliveryOf(refused)).toMatchObject({ status: 'failed', error, nextAttemptAt: null });
    expect(await desk.ticketOf(refused)).toMatchObject({ status: 'open' });
    expect(mailsOf(refused)).toHaveLength(0);
  });

  test('waits while access is denied, and leaves when the mailbox is connected again', async () => {
    const gone = `gone@${provider}.example`;
    const waiting = await desk.write(await desk.connect(gone));
    side.revoke(gone);
    await expect(run(house.app, waiting)).rejects.toThrow('for now');
    const error = expect.stringContaining(`${gone} must be connected again`);
    expect(await deliveryOf(waiting)).toMatchObject({ status: 'queued', error, attempts: 1 });
    await expect(run(house.app, waiting, 2)).rejects.toThrow('for now');
    expect(await deliveryOf(waiting)).toMatchObject({ status: 'queued', error });
    await desk.connect(gone);
    await run(house.app, waiting, 3);
    expect(await deliveryOf(waiting)).toMatchObject({ status: 'sent', error: null });
    expect(mailsOf(waiting)).toHaveLength(1);
  });

  test('with two concurrent attempts, the first presumed dead, is sent only by the second', async () => {
    const slow = await write();
    const overtaken = bent((account) => ({
      send: async (mail, steps) => {
        await run(house.app, slow, 2);
        return account.send(mail, steps);
      },
    }));
    await run(overtaken, slow);
    expect(await deliveryOf(slow)).toMatchObject({ status: 'sent', attempts: 2, error: null });
    expect(mailsOf(slow)).toHaveLength(1);
  });

  describe('that an agent sends again', () => {
    test('is looked for first, if it may have left', async () => {
      const given = await write();
      side.failSend({ isCarriedOut: true });
      await expect(run(house.app, given)).rejects.toThrow('for now');
      const away = new ProviderFault('unavailable', '503', 'It is away.');
      await run(
        bent(() => ({ findSent: () => Promise.reject(away) })),
        given,
        19,
      );
      expect(await deliveryOf(given)).toMatchObject({ status: 'uncertain' });
      expect((await desk.steer('retry', given)).body.delivery).toMatchObject({ status: 'queued' });
      await untilSent(given, 1);
      expect(mailsOf(given)).toHaveLength(1);
    });

    test('is sent again if it bounced', async () => {
      const bounced = await write();
      await run(house.app, bounced);
      const why = { error: 'nobody', bounceKind: 'hard', enhancedStatusCode: null } as const;
      await house.app.db.tx((tx) => markBounced(tx, { ...bounced, workspaceId: owner.workspaceId, ...why }));
      await desk.steer('retry', bounced);
      await run(house.app, bounced);
      expect(await deliveryOf(bounced)).toMatchObject({ status: 'sent' });
      expect(mailsOf(bounced)).toHaveLength(2);
    });
  });
});
