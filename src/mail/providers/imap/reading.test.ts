import { afterAll, afterEach, expect, test } from 'vitest';
import { usualQuirks } from '../../../../emulators/imap/quirks.ts';
import { openImapEmulator } from '../../../../emulators/imap.ts';
import type { FoundMail } from '../../provider.ts';
import { openImap } from './imap.ts';

const server = await openImapEmulator({ isPlain: true });
const provider = openImap({ reach: async () => ['127.0.0.1'] });
afterEach(() => {
  Object.assign(server.quirks, usualQuirks);
});
afterAll(async () => {
  await provider.close();
  await server.close();
});

let count = 0;

function openAccount() {
  const address = `help${++count}@shop.example`;
  server.addAccount(address, 'secret');
  const end = (port: number) => ({ host: server.host, port, security: 'none' as const });
  const account = provider.openAccount({
    server: async () => ({
      address,
      imap: end(server.ports.imap),
      smtp: end(server.ports.submission),
      username: address,
      secret: { password: 'secret' },
      inboxPaths: ['INBOX'],
      sentPath: 'Sent',
      sentCopy: 'auto',
      sentCopyLearned: null,
      afterIntake: 'leave',
      movePath: null,
    }),
    learnSentCopy: async () => undefined,
  });
  const deliver = (internalDate?: Date) =>
    server.deliver(address, { raw: 'Subject: Hello\r\n\r\nGood day.', ...(internalDate && { internalDate }) });
  return { account, address, deliver };
}

const uidsOf = (found: readonly FoundMail[]) => found.map(({ providerId }) => Number(providerId.split('.').at(-1)));

test('the last mail is no news, though a range behind it names it (n:*), without UIDNEXT', async () => {
  Object.assign(server.quirks, { hidesUidNext: true, hiddenCapabilities: ['CONDSTORE', 'QRESYNC'] });
  const { account, deliver } = openAccount();
  deliver();
  let cursor = await account.anchor();
  const read = async () => {
    const uids: number[] = [];
    for await (const page of account.changes(cursor)) {
      uids.push(...uidsOf(page.found));
      cursor = page.cursor ?? cursor;
    }
    return uids;
  };
  expect(await read()).toEqual([]);
  deliver();
  expect(await read()).toEqual([2]);
  expect(await read()).toEqual([]);
});

test.each([-12, 0, 14])('SEARCH SINCE of a server at UTC%i finds mail to the minute', async (zoneHours) => {
  Object.assign(server.quirks, { zoneHours });
  const { account, deliver } = openAccount();
  for (const since of [new Date('2026-11-20T00:01:00Z'), new Date('2026-11-20T23:59:00Z')]) {
    const before = deliver(new Date(since.getTime() - 60_000));
    const after = deliver(new Date(since.getTime() + 60_000));
    const uids: number[] = [];
    for (let page: string | null = ''; page !== null; ) {
      const { found, next } = await account.history(since, page);
      uids.push(...uidsOf(found));
      page = next;
    }
    expect(uids).toContain(after);
    expect(uids).not.toContain(before);
  }
});

test('a mail that is expunged between list and fetch is missing, and the next one comes', async () => {
  const { account, deliver } = openAccount();
  const cursor = await account.anchor();
  server.quirks.expungedOnFetch = new Set([deliver()]);
  deliver();
  const found: FoundMail[] = [];
  for await (const page of account.changes(cursor)) found.push(...page.found);
  const fetched = [];
  for (const mail of found) fetched.push(await account.fetch(mail));
  expect(fetched).toMatchObject([{ skipped: 'missing' }, { raw: expect.any(Buffer) }]);
});
