import { afterAll, describe, expect, test } from 'vitest';
import type { MailFields } from '../../../../emulators/customer-mail.ts';
import { openGmailEmulator } from '../../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../../emulators/graph.ts';
import { useHouse } from '../../../../test/harness/harness.ts';
import { syncMailbox } from '../../../../test/harness/sync-now.ts';
import { makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { ticketsOf } from '../../../../test/worlds/mails.ts';
import { type HostedMailbox, putMailbox } from '../../../../test/worlds/put-mailbox.ts';
import { withAccounts } from '../../../../test/worlds/with-accounts.ts';
import type { App } from '../../../app.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { FoundMail, ProviderAccount } from '../../../mail/provider.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now, unitsPerMinute: 1_000_000 });
const graph = await openGraphEmulator({ now });
afterAll(() => Promise.all([gmail.close(), graph.close()]));

const house = useHouse({ ...gmail.settings, ...graph.settings });

/** The actions of a test on a provider, in the same terms for each. */
const providers = [
  {
    provider: 'mail-a' as const,
    addMailbox: (address: string) => graph.addMailbox({ address }).refreshToken,
    deliver: (address: string, mail: MailFields, receivedAt = now()) => graph.deliver(address, mail, { receivedAt }),
    forget: (address: string) => graph.resetDelta(address),
    expireAccess: (address: string) => graph.expireAccess(address),
  },
  {
    provider: 'mail-b' as const,
    addMailbox: (address: string) => gmail.addMailbox({ address }).refreshToken,
    deliver: (address: string, mail: MailFields, receivedAt = now()) => gmail.deliver(address, mail, { receivedAt }),
    forget: (address: string) => gmail.setHistoryFloor(address, 'now'),
    expireAccess: (address: string) => gmail.expireAccess(address),
  },
];

/** Syncs, and returns the new mail. */
const noting =
  (fetched: string[], account: ProviderAccount): ProviderAccount['fetch'] =>
  (found) => {
    fetched.push(found.providerId);
    return account.fetch(found);
  };

const dayMs = 86_400_000;
let mailboxes = 0;

describe.each(providers)('a mailbox of $provider', ({ provider, addMailbox, deliver, forget, expireAccess }) => {
  let owner: Person;
  let mailbox: HostedMailbox;
  let address: string;

  async function connect(options: { historyDays?: number } = {}): Promise<void> {
    owner = await makeOwner(house);
    address = `box${++mailboxes}@office.example`;
    const { workspaceId } = owner;
    const refreshToken = addMailbox(address);
    mailbox = await putMailbox(house, { workspaceId, provider, address, refreshToken, ...options });
  }

  const sync = (app: App = house.app) => syncMailbox(app, { workspaceId: owner.workspaceId, mailboxId: mailbox.id });
  const bent = (bend: (account: ProviderAccount) => Partial<ProviderAccount>) =>
    withAccounts(house.app, provider, bend);

  async function write(count: number, receivedAt?: Date): Promise<void> {
    for (let at = 0; at < count; at++) {
      const name = `${address.split('@')[0]}-${++mailboxes}`;
      const fields = { from: `${name}@example.org`, subject: `Mail of ${name}`, messageId: `${name}@example.org` };
      await deliver(address, fields, receivedAt);
    }
  }

  async function subjectsTaken(): Promise<string[]> {
    await house.drain();
    return (await ticketsOf(owner)).map(({ subject }) => subject);
  }

  function syncRow(): Promise<any> {
    return house.app.db.one(sql`
      select s.*, m.status, s.not_before > ${now()} as "isResting"
      from mailbox_syncs s join mailboxes m on m.workspace_id = s.workspace_id and m.id = s.mailbox_id
      where s.workspace_id = ${owner.workspaceId} and s.mailbox_id = ${mailbox.id}`);
  }

  test('brings each new mail once, and older mail only on request', async () => {
    await connect();
    await write(1, new Date(now().getTime() - dayMs));
    await write(2);
    await sync();
    await write(1);
    await sync();
    await sync();
    expect(await subjectsTaken()).toHaveLength(3);
    expect(await ticketsOf(owner)).toMatchObject(
      Array.from({ length: 3 }, () => ({ mailboxId: mailbox.id, channel: 'email', messageCount: 1 })),
    );
    expect(await syncRow()).toMatchObject({ history_page: null, lease_holder: null, failures: 0 });
  });

  test('brings older mail page by page, and new mail in between, before the rest', async () => {
    await connect({ historyDays: 30 });
    await write(7, new Date(now().getTime() - 3 * dayMs));
    await write(1, new Date(now().getTime() - 40 * dayMs));
    let pages = 0;
    const found: FoundMail[] = [];
    /** The provider's mails, in pages of three. */
    const app = bent((account) => ({
      history: async (since, page) => {
        if (++pages === 2) await write(1);
        if (pages === 3) throw new ProviderFault('unavailable', '503', 'killed');
        for (let listed: string | null = ''; page === '' && listed !== null; ) {
          const answer = await account.history(since, listed);
          found.push(...answer.found);
          listed = answer.next;
        }
        const next = Number(page) + 3;
        return { found: found.slice(next - 3, next), next: next < found.length ? String(next) : null };
      },
    }));
    await expect(sync(app)).rejects.toThrow('killed');
    const before = await house.app.db.rows<{ isHistory: boolean }>(sql`
      select is_history as "isHistory" from raw_mails where workspace_id = ${owner.workspaceId} order by id`);
    expect(before.map(({ isHistory }) => isHistory)).toEqual([...Array(6).fill(true), false]);
    await sync(app);
    expect(pages).toBe(4);
    expect(await subjectsTaken()).toHaveLength(8);
    const { body } = await owner.call('GET', '/notifications');
    expect(body.items).toEqual([]);
  });

  test('with a lost cursor is rechecked: no mail is missed, and none comes twice', async () => {
    await connect();
    await write(2);
    await sync();
    await write(3);
    forget(address);
    await sync();
    expect(await subjectsTaken()).toHaveLength(5);
    await write(1);
    await sync();
    expect(await subjectsTaken()).toHaveLength(6);
  });

  test('whose sync dies between page and cursor brings each mail once', async () => {
    await connect();
    await sync();
    await write(3);
    const app = bent((account) => ({
      async *changes(cursor) {
        for await (const page of account.changes(cursor)) yield { ...page, cursor: null };
        throw new Error('killed');
      },
    }));
    await expect(sync(app)).rejects.toThrow('killed');
    const fetched: string[] = [];
    await sync(bent((account) => ({ fetch: noting(fetched, account) })));
    expect(fetched).toEqual([]);
    expect(await subjectsTaken()).toHaveLength(3);
  });

  test('is read by one process at a time', async () => {
    await connect();
    await sync();
    await write(2);
    const fetched: string[] = [];
    let rounds = 0;
    const app = bent((account) => ({
      async *changes(cursor) {
        rounds++;
        for await (const page of account.changes(cursor)) {
          // A mail comes that this round has not listed, and another process tries to read the mailbox.
          if (rounds === 1 && page.cursor !== null) {
            await write(1);
            await sync(app);
          }
          yield page;
        }
      },
      fetch: noting(fetched, account),
    }));
    await sync(app);
    expect(await subjectsTaken()).toHaveLength(3);
    expect(rounds).toBe(1);
    expect(new Set(fetched).size).toBe(fetched.length);
  });

  test('skips mail that cannot be stored or must not be read', async () => {
    await connect();
    await sync();
    await write(3);
    const odd = ['nul\u0000', 'half\ud800', 'x'.repeat(9_000)].map((providerId) => ({
      providerId,
      folder: 'inbox' as const,
    }));
    let forbiddenId: string | undefined;
    const app = bent((account) => ({
      async *changes(cursor) {
        for await (const { found, ...page } of account.changes(cursor)) yield { ...page, found: [...odd, ...found] };
      },
      fetch: async (found) => {
        forbiddenId ??= found.providerId;
        if (found.providerId === forbiddenId) throw new ProviderFault('forbidden', 'ErrorAccessDenied', 'not this one');
        return { ...(await account.fetch(found)), threadId: 'y\u0000'.repeat(9_000) };
      },
    }));
    await sync(app);
    expect(await subjectsTaken()).toHaveLength(2);
    expect(await syncRow()).toMatchObject({ status: 'active', failures: 0 });
    house.clock.advance(601_000);
    await sync();
    expect(await subjectsTaken()).toHaveLength(3);
  });

  test('that is paused during a sync stores nothing more until it is resumed', async () => {
    await connect();
    await sync();
    await write(2);
    let asked = 0;
    const app = bent((account) => ({
      fetch: async (found) => {
        if (asked++ === 0) expect((await owner.call('POST', `/mailboxes/${mailbox.id}/pause`)).status).toBe(200);
        return account.fetch(found);
      },
    }));
    await sync(app);
    expect(await subjectsTaken()).toEqual([]);
    expect((await owner.call('POST', `/mailboxes/${mailbox.id}/resume`)).status).toBe(200);
    await house.drain();
    expect(await ticketsOf(owner)).toHaveLength(2);
  });

  test('continues with a new token when its access token expires during a round', async () => {
    await connect();
    await sync();
    await write(6);
    let fetches = 0;
    const app = bent((account) => ({
      fetch: (found) => {
        if (++fetches === 3) expireAccess(address);
        return account.fetch(found);
      },
    }));
    await sync(app);
    expect(await subjectsTaken()).toHaveLength(6);
  });
});
