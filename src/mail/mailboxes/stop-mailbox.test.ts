import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { withAccounts } from '../../../test/worlds/with-accounts.ts';
import type { App } from '../../app.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { newId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { listUnstopped, stopMailbox } from './stop-mailbox.ts';
import { watchMailbox } from './watch-mailbox.ts';
import { listDueWatches } from './watches.ts';

const gmail = await openGmailEmulator();
const graph = await openGraphEmulator();
afterAll(() => Promise.all([gmail.close(), graph.close()]));
const house = useHouse({ ...gmail.settings, ...graph.settings, MAIL_A_WEBHOOK_SECRET: 'the secret of the webhooks' });
beforeAll(() => {
  house.app.config.publicUrl = house.url;
});

/** The providers whose mailboxes are watched. */
type OAuthKey = 'mail-a' | 'mail-b';

let owner: Person;
let address: string;
let named: { workspaceId: WorkspaceId; mailboxId: string };

/** Connects a mailbox, watches it and disconnects it. */
async function disconnected(provider: OAuthKey): Promise<void> {
  owner = await makeOwner(house);
  address = `help-${newId().slice(-8)}@shop.example`;
  const { refreshToken } = (provider === 'mail-a' ? graph : gmail).addMailbox({ address });
  const { body } = await owner.call('POST', '/mailboxes', { provider, address, refreshToken });
  named = { workspaceId: owner.workspaceId, mailboxId: body.id };
  await watchMailbox(house.app, named);
  await disconnect();
}
const disconnect = () => owner.call('DELETE', `/mailboxes/${named.mailboxId}`);
async function reconnect(provider: OAuthKey): Promise<void> {
  const refreshToken =
    provider === 'mail-a' ? graph.giveRefreshToken(address) : gmail.addMailbox({ address }).refreshToken;
  expect((await owner.call('POST', '/mailboxes', { provider, address, refreshToken })).status).toBe(201);
}

/** Does this once, in the middle of the stop. */
const stopWhile = (provider: OAuthKey, act: () => Promise<unknown>): Promise<void> => {
  let isDone = false;
  const app = withAccounts(house.app, provider, (account) => ({
    stopWatch: async (watch) => {
      if (!isDone) await act();
      isDone = true;
      return account.stopWatch(watch);
    },
  }));
  return stopMailbox(app, named);
};

const scope = () => ({ now: house.clock.now(), within: () => emptySql, except: () => emptySql, rowsMax: 500 });
const isOurs = ({ id }: { id: string }) => id === named.mailboxId;
const isToBeWatched = async () => (await listDueWatches(house.app.config, house.app.db, scope())).some(isOurs);
const isToBeStopped = async () => (await listUnstopped(house.app.db, scope())).some(isOurs);
const row = () =>
  house.app.db.one<{ status: string; hasToken: boolean; isResting: boolean }>(sql`
    select status, refresh_token is not null as "hasToken", coalesce(watch_until > now(), false) as "isResting"
    from mailboxes where workspace_id = ${named.workspaceId} and id = ${named.mailboxId}`);
const live = () => graph.subscriptions().filter((one) => one.address === address && one.end === null);

test('a mailbox that is connected again before the stop begins is left alone', async () => {
  await disconnected('mail-a');
  const { db } = house.app;
  let isBack = false;
  const tx: App['db']['tx'] = async (work) => {
    if (!isBack) await reconnect('mail-a');
    isBack = true;
    return db.tx(work);
  };
  await stopMailbox({ ...house.app, db: { ...db, tx } }, named);
  expect(await row()).toEqual({ status: 'active', hasToken: true, isResting: false });
  expect(live()).toHaveLength(2);
});

test('a stop keeps the credentials of a later connection, whose own stop needs them', async () => {
  await disconnected('mail-a');
  await stopWhile('mail-a', async () => {
    await reconnect('mail-a');
    await watchMailbox(house.app, named);
    await disconnect();
  });
  expect(await row()).toEqual({ status: 'disconnected', hasToken: true, isResting: false });
  expect(await isToBeStopped()).toBe(true);
  await stopMailbox(house.app, named);
  expect(await row()).toMatchObject({ hasToken: false });
  expect(live()).toEqual([]);
});

test('a watch of Gmail that ends with the stop of an earlier connection is made again at once', async () => {
  await disconnected('mail-b');
  await stopWhile('mail-b', async () => {
    await reconnect('mail-b');
    await watchMailbox(house.app, named);
  });
  expect(await row()).toEqual({ status: 'active', hasToken: true, isResting: false });
  expect(await isToBeWatched()).toBe(true);
});
