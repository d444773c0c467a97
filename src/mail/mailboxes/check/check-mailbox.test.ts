import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../../emulators/graph.ts';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import type { ProviderKey } from '../../providers/registry.ts';
import { checkMailbox } from './check-mailbox.ts';

const gmail = await openGmailEmulator();
const graph = await openGraphEmulator();
afterAll(() => Promise.all([gmail.close(), graph.close()]));
const house = useHouse({
  ...gmail.settings,
  MAIL_B_TOPIC: 'projects/kontor/topics/mail',
  ...graph.settings,
  MAIL_A_WEBHOOK_SECRET: 'the secret of the webhooks',
});
beforeAll(() => {
  house.app.config.publicUrl = house.url;
});
afterEach(() => {
  house.app.config.publicUrl = house.url;
  gmail.clearFaults();
  graph.clearFaults();
});

type Desk = { owner: Person; address: string; mailboxId: string };
async function connect(provider: ProviderKey = 'mail-b'): Promise<Desk> {
  const owner = await makeOwner(house);
  const address = `help-${newId().slice(-8)}@shop.example`;
  const { refreshToken } = (provider === 'mail-a' ? graph : gmail).addMailbox({ address });
  const { body } = await owner.call('POST', '/mailboxes', { provider, address, refreshToken });
  return { owner, address, mailboxId: body.id };
}
const check = ({ owner, mailboxId }: Desk) => owner.call('POST', `/mailboxes/${mailboxId}/check`);
const oks = ({ body }: any) => Object.fromEntries(body.steps.map(({ name, ok }: any) => [name, ok]));
const stepOf = ({ body }: any, name: string) => body.steps.find((step: any) => step.name === name);

test.each(['mail-a', 'mail-b'] as const)(
  'a healthy mailbox of %s passes every step, and is watched',
  async (provider) => {
    const desk = await connect(provider);
    const emulator = provider === 'mail-a' ? graph : gmail;
    for (const subject of ['One', 'Two']) await emulator.deliver(desk.address, { subject });
    const checked = await check(desk);
    expect(checked.status).toBe(200);
    expect(checked.body.steps.map(({ name }: any) => name)).toEqual(['token', 'read', 'send', 'watch', 'push']);
    expect(oks(checked)).toEqual({ token: true, read: true, send: true, watch: true, push: true });
    expect(checked.body.steps[3].detail).toMatch(/is to notify of new mail for another (\d+ )?(days?|hours?), and/);
    const detail = `The mailbox of ${desk.address} can be read. Mails of the last day: 2.`;
    expect(stepOf(checked, 'read')).toMatchObject({
      detail,
      detailKey: 'readable',
      detailParams: { address: desk.address, mails: 2 },
    });
    expect(checked.body.steps.map(({ hint }: any) => hint)).toEqual([null, null, null, null, null]);
    const { body } = await desk.owner.call('GET', `/mailboxes/${desk.mailboxId}`);
    expect(body.watches).not.toEqual([]);
  },
);

test('a dead consent fails the first step, though a saved access token is still good', async () => {
  const desk = await connect();
  gmail.revoke(desk.address);
  const checked = await check(desk);
  expect(oks(checked)).toEqual({ token: false, read: null, send: null, watch: null, push: true });
  expect(stepOf(checked, 'token')).toMatchObject({ detailKey: 'consent', hintKey: 'reconnect' });
  expect(stepOf(checked, 'token').hint).toContain('Connect the mailbox again');
});

test('a mailbox that refuses to be read says so', async () => {
  const desk = await connect('mail-a');
  graph.setFault({ on: 'profile', address: desk.address, status: 403, times: 9 });
  graph.setFault({ on: 'message.list', address: desk.address, status: 403, times: 9 });
  const checked = await check(desk);
  expect(oks(checked)).toEqual({ token: true, read: false, send: true, watch: null, push: true });
  expect(stepOf(checked, 'read').hint).toContain('administrator');
});

test('a refusal of the last answers is reported', async () => {
  const desk = await connect();
  const put = (assignment: ReturnType<typeof sql>) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update mailboxes set ${assignment}
        where workspace_id = ${desk.owner.workspaceId} and id = ${desk.mailboxId}`),
    );
  await put(sql`send_refused_since = now()`);
  expect(stepOf(await check(desk), 'send')).toMatchObject({
    ok: false,
    detail: 'The provider refused the last answer.',
  });
  await put(sql`send_status = 'error', send_status_reason = 'Suspected of spam'`);
  expect(stepOf(await check(desk), 'send')).toMatchObject({ ok: false, detail: 'Suspected of spam' });
});

test('an address that leads elsewhere is found, and a paused mailbox is not watched', async () => {
  const desk = await connect();
  await desk.owner.call('POST', `/mailboxes/${desk.mailboxId}/pause`);
  house.app.config.publicUrl = `${house.url}/elsewhere`;
  const checked = await check(desk);
  expect(oks(checked)).toEqual({ token: true, read: true, send: true, watch: null, push: false });
  expect(stepOf(checked, 'push')).toMatchObject({
    detailKey: 'not_reached',
    detail: expect.stringContaining(`Another server than this service answers at ${house.url}/elsewhere`),
    hint: expect.stringContaining('PUBLIC_URL'),
    hintKey: 'public_url',
  });
  expect(stepOf(checked, 'read').hint).toContain('paused');
});

test('a provider that never answers ends a step at its limit', async () => {
  const desk = await connect();
  gmail.setFault({ on: 'token', kind: 'stalled', times: 9 });
  const key = { workspaceId: desk.owner.workspaceId, mailboxId: desk.mailboxId };
  const [token] = await checkMailbox(house.app, key, { stepMsMax: 200 });
  expect(token).toMatchObject({ ok: false, detail: { text: 'There was no answer within 0.2 s.' } });
});

test('only those who manage mailboxes check one, and a stranger finds none', async () => {
  const desk = await connect();
  const agent = await makeMember(house, desk.owner.workspaceId, 'agent');
  expect((await check({ ...desk, owner: agent })).status).toBe(403);
  expect((await check({ ...desk, owner: await makeOwner(house) })).status).toBe(404);
});
