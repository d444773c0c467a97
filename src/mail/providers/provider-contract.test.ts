import { parseMail } from '@kontor/mail/parse.ts';
import { describe, expect, it } from 'vitest';
import { changesOf, expectFault, foldersOf, holdToContract, pagesOf } from '../../../test/worlds/provider-contract.ts';
import type { FoundMail, ProviderAccount } from '../provider.ts';

holdToContract((world) => {
  const { openMailbox } = world;

  describe('changes', () => {
    it('list the mail after the anchor, and nothing more after the next cursor', async () => {
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

    it('repeat from an older cursor', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address);
      await changesOf(account, anchor);
      expect(idsOf((await changesOf(account, anchor)).found)).toEqual([id]);
    });

    it('come page by page, with the cursor only on the last page', async () => {
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

    it('include mail that leaves the junk folder', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address, {}, { place: 'junk' });
      const { found, cursor } = await changesOf(account, anchor);
      expect(await foldersOf(account, found)).toEqual({});
      const moved = await world.move(address, id, 'inbox');
      expect(await foldersOf(account, (await changesOf(account, cursor)).found)).toEqual({ [moved]: 'inbox' });
    });

    it('report when the provider no longer knows the cursor', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      await world.deliver(address);
      await world.loseHistory(address);
      await expectFault(changesOf(account, anchor), { kind: 'cursor-lost' });
      await expectFault(changesOf(account, 'of another API'), { kind: 'cursor-lost' });
      const { cursor } = await changesOf(account, await account.anchor());
      const id = await world.deliver(address);
      expect(idsOf((await changesOf(account, cursor)).found)).toEqual([id]);
    });
  });

  describe('a mail', () => {
    it('is fetched unchanged, with its thread and its time of arrival', async () => {
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
      expect(mail).toMatchObject({ providerId: first, folder: 'inbox', threadId: world.threadId });
      expect(reply?.threadId).toBe(mail?.threadId);
      expect(mail?.receivedAt.getTime()).toBeGreaterThanOrEqual(before - 1_000);
      const parsed = await parseMail(mail?.raw ?? Buffer.alloc(0));
      expect(parsed).toMatchObject({ subject: 'Grüße', messageId: 'a@b.example' });
      expect(parsed.text).toContain('Zeile eins\nzwei');
    });

    it.each(['junk', 'bin'] as const)('is not for tickets once it is in %s', async (place) => {
      const { address, account } = openMailbox();
      const id = await world.deliver(address);
      const moved = await world.move(address, id, place);
      const skipped = moved !== id ? 'missing' : place === 'bin' ? 'deleted' : place;
      expect(await account.fetch({ providerId: id, folder: 'inbox' })).toEqual({ skipped });
    });

    it('that does not exist is missing, for now or for good', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address);
      await world.remove(address, id);
      expect(await account.fetch({ providerId: id, folder: 'inbox' })).toEqual({ skipped: 'missing' });
      expect(await foldersOf(account, (await changesOf(account, anchor)).found)).toEqual({});
    });

    it('that is a draft is not for tickets', async () => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.saveDraft(address, { to: ['cora@example.com'] });
      expect(await account.fetch({ providerId: id, folder: 'inbox' })).toEqual({ skipped: 'draft' });
      expect(await foldersOf(account, (await changesOf(account, anchor)).found)).toEqual({});
    });
  });

  describe('history', () => {
    it('lists the mail of inbox and sent folder since a time', async () => {
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

    it('comes page by page, and continues after an interruption', async () => {
      const { address, account } = openMailbox();
      const ids = await Promise.all(Array.from({ length: 120 }, () => world.deliver(address, smallMail())));
      const since = new Date(Date.now() - 86_400_000);
      const first = await account.history(since, '');
      expect(first.next).not.toBeNull();
      const rest = await historyOf(world.openAgain(address), since, first.next ?? '');
      expect([...new Set(idsOf([first.found, ...rest].flat()))].sort()).toEqual(ids.sort());
    });
  });

  describe('watching', () => {
    it('lasts a while, can be renewed, and replaces the former subscription', async () => {
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

    it('that expired begins again, at the latest after the renewal fails', async () => {
      const lapsing = await world.openAnother();
      try {
        const { address, account } = lapsing.openMailbox();
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

    it('ends on request, even twice', async () => {
      const { address, account } = openMailbox();
      const watches = await Promise.all(account.watchKeys.map((key) => account.watch(key, world.target)));
      for (const watch of [...watches, ...watches]) await account.stopWatch(watch);
      expect(world.watches(address)).toBe(0);
    });
  });
});

let mailCount = 0;

/** Writes the bytes by hand, because composing hundreds of mails takes longer than reading them. */
function smallMail(): Buffer {
  return Buffer.from(`From: cora@example.com\r\nMessage-ID: <${++mailCount}@mail.example.com>\r\n\r\nGood day.\r\n`);
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

/** Removes repeats, because a list may contain a mail several times. */
function idsOf(found: readonly FoundMail[]): string[] {
  return [...new Set(found.map(({ providerId }) => providerId))];
}
