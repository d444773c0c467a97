import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../../emulators/gmail.ts';
import { useHouse } from '../../../../test/harness/harness.ts';
import { whileOpen } from '../../../../test/harness/races.ts';
import { syncMailbox } from '../../../../test/harness/sync-now.ts';
import { makeOwner } from '../../../../test/worlds/factories.ts';
import { putMailbox } from '../../../../test/worlds/put-mailbox.ts';
import { withAccounts } from '../../../../test/worlds/with-accounts.ts';
import type { App } from '../../../app.ts';
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import { emptySql, sql } from '../../../ground/database/sql.ts';
import { getMailbox } from '../../../mail/mailboxes/queries.ts';
import { requestSync } from '../../../mail/mailboxes/request-sync.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';
import { listDueMailboxes } from './sync-lease.ts';

const gmail = await openGmailEmulator();
afterAll(() => gmail.close());
const house = useHouse(gmail.settings);
let named: MailboxKey;

beforeAll(async () => {
  const { workspaceId } = await makeOwner(house);
  const address = 'desk@office.example';
  const { refreshToken } = gmail.addMailbox({ address });
  const { id: mailboxId } = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken });
  named = { workspaceId, mailboxId };
  await sync();
});

const sync = (app: App = house.app) => syncMailbox(app, named);
/** The mailboxes that a process would read now. */
const listDue = () =>
  listDueMailboxes(house.app.db, {
    now: house.clock.now(),
    within: () => emptySql,
    except: () => emptySql,
    rowsMax: 9,
  });

test('a mailbox whose read the database broke off is due at once', async () => {
  const { db } = house.app;
  let faults = 1;
  const maybe: App['db']['maybe'] = (query) =>
    faults-- > 0 ? Promise.reject(new Error('the connection broke')) : db.maybe(query);
  await expect(sync({ ...house.app, db: { ...db, maybe } })).rejects.toThrow('the connection broke');
  expect(await listDue()).toHaveLength(1);
  await sync();
  expect(await listDue()).toEqual([]);
});

test('a mailbox of a provider that only a later release knows is left to that release', async () => {
  const { db } = house.app;
  const setProvider = (provider: string) =>
    db.tx((tx) => tx.run(sql`update mailboxes set provider = ${provider} where workspace_id = ${named.workspaceId}`));
  await db.pool.query('alter table mailboxes drop constraint mailboxes_provider_check');
  await db.tx((tx) => requestSync(tx, named));
  expect(await listDue()).toHaveLength(1);
  await setProvider('mail-c');
  expect(await listDue()).toEqual([]);
  await setProvider('mail-b');
});

test('a fault that waits for the lock of its mailbox does not hold the lock of the sync', async () => {
  const { workspaceId, mailboxId } = named;
  const refusing = withAccounts(house.app, 'mail-b', () => ({
    changes() {
      throw new ProviderFault('refused', '400', 'It is closed.', { evidence: 'final' });
    },
  }));
  let unlocked: unknown[] = [];
  await whileOpen(
    house,
    (tx) => tx.run(sql`update mailboxes set name = 'Desk' where workspace_id = ${workspaceId} and id = ${mailboxId}`),
    () => sync(refusing),
    async (tx) => {
      unlocked = await tx.rows(sql`
        select from mailbox_syncs where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
        for update skip locked`);
    },
  );
  expect(unlocked).toHaveLength(1);
});

test('a mailbox that is throttled between refusals is not in error', async () => {
  const status = async () => (await getMailbox(house.app.db, named)).status;
  const failWith = async (...fault: ConstructorParameters<typeof ProviderFault>) => {
    const app = withAccounts(house.app, 'mail-b', () => ({
      changes() {
        throw new ProviderFault(...fault);
      },
    }));
    await sync(app).catch(() => {});
  };
  const deny = () => failWith('unavailable', '401', 'authError', { evidence: 'denial' });
  await sync();
  await deny();
  house.clock.advance(1_800_000);
  await failWith('throttled', '429', 'Slow down.');
  house.clock.advance(1_900_000);
  await deny();
  expect(await status()).toBe('active');
  house.clock.advance(3_700_000);
  await deny();
  expect(await status()).toBe('error');
});
