import { afterAll, beforeEach, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import type { App } from '../../app.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { openSeal } from '../../ground/platform/seal.ts';
import { ProviderFault } from '../provider-fault.ts';
import { type ProviderKey, traitsOf } from '../providers/registry.ts';
import { openAccount } from './open-account.ts';
import { findMailbox, type Mailbox } from './queries.ts';
import { countSealedCredentials } from './sealed-credentials.ts';
import { noteReadFault } from './status/note-fault.ts';
import { sweepMailboxes } from './sweep.ts';

const key = (text: string) => text.padEnd(32, '.');
// A rotated refresh token is dead at once, so a second use fails.
const graph = await openGraphEmulator({ behaviour: { refreshGraceSeconds: 0 } });
const gmail = await openGmailEmulator();
afterAll(() => Promise.all([graph.close(), gmail.close()]));
const house = useHouse({
  ...gmail.settings,
  ...graph.settings,
  ENCRYPTION_KEY: key('old'),
});

let address: string;
beforeEach(() => {
  address = `help-${newId().slice(-8)}@shop.example`;
  graph.clearLogs();
});

/** A mailbox whose first access token has expired. */
async function connected(provider: ProviderKey = 'mail-a'): Promise<Mailbox & { owner: Person }> {
  const owner = await makeOwner(house);
  const { refreshToken } = (provider === 'mail-a' ? graph : gmail).addMailbox({ address });
  const { body } = await owner.call('POST', '/mailboxes', { provider, address, refreshToken });
  const mailbox = { workspaceId: owner.workspaceId, id: body.id };
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set access_token = null where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id}`),
  );
  graph.clearLogs();
  return { ...(await reread(mailbox)), owner };
}
async function reread({ workspaceId, id }: Pick<Mailbox, 'workspaceId' | 'id'>): Promise<Mailbox> {
  const mailbox = await findMailbox(house.app.db, { workspaceId, mailboxId: id });
  if (mailbox === undefined) throw new Error('the mailbox is gone');
  return mailbox;
}

test.each(['mail-a', 'mail-b'] as const)(
  'a mailbox of %s has as many watches as its provider’s traits say',
  async (provider) => {
    const { watchKeys } = openAccount(house.app, await connected(provider));
    expect(watchKeys).toHaveLength(traitsOf(provider).watches);
  },
);

const profiles = (app: App, mailbox: Mailbox, count: number) => {
  const account = openAccount(app, mailbox);
  return Promise.all(Array.from({ length: count }, () => account.profile()));
};
const tokenRequests = () => graph.requests().filter(({ operation }) => operation === 'token').length;
const sealedOf = ({ workspaceId, id }: Mailbox) =>
  house.app.db.one<{ refreshToken: string; accessToken: string }>(sql`
    select refresh_token as "refreshToken", access_token as "accessToken"
    from mailboxes where workspace_id = ${workspaceId} and id = ${id}`);

test('of many concurrent requests one renews the access, and all continue with it', async () => {
  const mailbox = await connected();
  // Accounts share no state, as in separate processes.
  const askAll = () => Promise.all([1, 2].map(() => profiles(house.app, mailbox, 4)));
  const profile = { address, userId: expect.any(String), delegateAddress: null };
  expect((await askAll()).flat()).toEqual(Array.from({ length: 8 }, () => profile));
  expect(tokenRequests()).toBe(1);
  // The provider refuses a token before its expiry.
  graph.expireAccess(address);
  await askAll();
  expect(tokenRequests()).toBe(2);
});

test('each rotated refresh token is stored, and only sealed', async () => {
  const mailbox = await connected();
  await profiles(house.app, mailbox, 1);
  const first = await sealedOf(mailbox);
  house.clock.advance(3_600_000);
  await profiles(house.app, mailbox, 1);
  const second = await sealedOf(mailbox);
  expect(tokenRequests()).toBe(2);
  for (const column of ['refreshToken', 'accessToken'] as const) {
    expect(first[column]).toMatch(/^v1\./);
    expect(second[column]).not.toBe(first[column]);
  }
  // Until they expire they are used unchanged.
  await profiles(house.app, mailbox, 1);
  expect(tokenRequests()).toBe(2);
});

test('a refresh of a killed process blocks the others for at most a minute', async () => {
  const mailbox = await connected();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set refresh_until = now() + interval '300 milliseconds'
      where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id}`),
  );
  await profiles(house.app, mailbox, 1);
  expect(tokenRequests()).toBe(1);
});

test('a dead grant shows on the mailbox, unless the mailbox was reconnected meanwhile', async () => {
  const mailbox = await connected();
  graph.revoke(address);
  const fault = await openAccount(house.app, mailbox)
    .profile()
    .catch((error) => error);
  expect(fault).toMatchObject({ name: 'ProviderFault', kind: 'unauthorized' });
  const stale = { ...mailbox, statusChangedAt: '2020-01-01T00:00:00.000Z' };
  await house.app.db.tx((tx) => noteReadFault(tx, stale, { fault, refusedSince: null }));
  expect((await reread(mailbox)).status).toBe('active');
  await house.app.db.tx((tx) => noteReadFault(tx, mailbox, { fault, refusedSince: null }));
  expect((await reread(mailbox)).status).toBe('reauthorization_required');
});

test.each([
  ['forbidden', 59, 'active'],
  ['forbidden', 60, 'error'],
  ['misconfigured', 0, 'error'],
  ['throttled', 600, 'active'],
  ['unavailable', 600, 'active'],
  ['not-found', 600, 'active'],
] as const)('a fault of kind %s after %i minutes of refusals leaves a mailbox %s', async (kind, minutes, status) => {
  const mailbox = await connected();
  const fault = new ProviderFault(kind, 'code', 'What helps.');
  const refusedSince = new Date(house.app.clock.now().getTime() - minutes * 60_000 - 100);
  await house.app.db.tx((tx) => noteReadFault(tx, mailbox, { fault, refusedSince }));
  expect((await reread(mailbox)).status).toBe(status);
});

test('credentials that replace old ones during their refresh win', async () => {
  const mailbox = await connected();
  const provider = house.app.providers['mail-a'];
  const refresh: typeof provider.refresh = async (token) => {
    const tokens = await provider.refresh(token);
    const { refreshToken } = graph.addMailbox({ address });
    await mailbox.owner.call('POST', `/mailboxes/${mailbox.id}/pause`);
    const again = await mailbox.owner.call('POST', '/mailboxes', { provider: 'mail-a', address, refreshToken });
    expect(again.body.id).toBe(mailbox.id);
    return tokens;
  };
  const providers = { ...house.app.providers, 'mail-a': { ...provider, refresh } };
  await profiles({ ...house.app, providers }, mailbox, 1);
  // The failed refresh, and the check of the new credentials, which brought the access token in use.
  expect(tokenRequests()).toBe(2);
});

const withKeys = (...keys: string[]): App => ({
  ...house.app,
  seal: openSeal(keys.map((text) => Buffer.from(key(text)))),
});

test('an old ENCRYPTION_KEY can go once the sweep has resealed; before that, a mailbox says what helps', async () => {
  // Ignores mailboxes of other tests.
  await house.app.db.tx((tx) => tx.run(sql`update mailboxes set refresh_token = null, access_token = null`));
  const mailbox = await connected('mail-b');
  await profiles(house.app, mailbox, 1);
  const count = ({ db, seal }: App) => countSealedCredentials(db, seal);
  const other = withKeys('other');
  const fault = await openAccount(other, mailbox)
    .profile()
    .catch((error) => error);
  expect(fault).toMatchObject({ kind: 'misconfigured', message: expect.stringContaining('ENCRYPTION_KEY') });
  expect(await count(other)).toEqual({ lost: 1, outdated: 0 });

  const both = withKeys('new', 'old');
  expect(await count(both)).toEqual({ lost: 0, outdated: 1 });
  await sweepMailboxes(both);
  expect(await count(both)).toEqual({ lost: 0, outdated: 0 });
  expect(await profiles(withKeys('new'), mailbox, 1)).toMatchObject([{ address }]);
});
