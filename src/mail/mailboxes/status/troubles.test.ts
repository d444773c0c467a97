import { afterAll, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../../emulators/gmail.ts';
import { readEvents } from '../../../../test/harness/event-reader.ts';
import { useHouse } from '../../../../test/harness/harness.ts';
import { mailsTo } from '../../../../test/harness/links.ts';
import { useReceiver } from '../../../../test/harness/receiver.ts';
import { syncMailbox } from '../../../../test/harness/sync-now.ts';
import { type Answer, call, makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { makeHook } from '../../../../test/worlds/integrator.ts';
import { putMailbox } from '../../../../test/worlds/put-mailbox.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { ProviderFault } from '../../provider-fault.ts';
import { findMailbox, type Mailbox } from '../queries.ts';
import { sweepMailboxes } from '../sweep.ts';
import { noteSendFault, noteSendSuccess } from './note-fault.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now });
afterAll(() => gmail.close());
const house = useHouse({ ...gmail.settings, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
const receiver = useReceiver();
const hourMs = 3_600_000;

let made = 0;
async function makeMailbox(workspaceId: WorkspaceId) {
  const address = `help-${++made}@shop.example`;
  const { refreshToken } = gmail.addMailbox({ address });
  const { id: mailboxId } = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken });
  const named = { workspaceId, mailboxId };
  return {
    address,
    mailboxId,
    sync: () => syncMailbox(house.app, named),
    find: async (): Promise<Mailbox> => {
      const mailbox = await findMailbox(house.app.db, named);
      if (mailbox === undefined) throw new Error('it is gone');
      return mailbox;
    },
  };
}

/** Signs a new access token for each request, because a token lasts an hour and the tests move the clock. */
const ask = (
  { workspaceId, userId, sessionId }: Person,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> =>
  call(house, method, path.startsWith('/v1') ? path : `/v1/workspaces/${workspaceId}${path}`, body, {
    authorization: `Bearer ${house.app.tokens.sign({ userId, sessionId })}`,
    'x-workspace-id': workspaceId,
  });
const toldTo = async (person: Person): Promise<string[]> =>
  (await ask(person, 'GET', '/notifications')).body.items.map(({ title }: { title: string }) => title);
const mailed = async (person: Person): Promise<string[]> =>
  (await mailsTo(house, person.email)).map(({ subject }) => subject ?? '');

test('owners and admins are told once, then daily, that a mailbox must be connected again', async () => {
  const owner = await makeOwner(house);
  const [admin, agent, quiet] = await Promise.all([
    makeMember(house, owner.workspaceId, 'admin'),
    makeMember(house, owner.workspaceId, 'agent'),
    makeMember(house, owner.workspaceId, 'admin'),
  ]);
  await ask(quiet, 'PATCH', '/v1/me/notification-preferences', { types: { mailbox: { inApp: false, email: false } } });
  const stranger = await makeOwner(house);
  const { address, mailboxId, sync } = await makeMailbox(owner.workspaceId);
  await sync();
  gmail.revoke(address);
  for (let time = 0; time < 2; time++) {
    await sync();
    await house.drain();
  }
  const title = `The mailbox ${address} must be connected again`;
  const { body } = await ask(owner, 'GET', '/notifications');
  expect(body.items).toMatchObject([{ type: 'mailbox', referenceId: mailboxId, messageId: null, title }]);
  expect(await toldTo(admin)).toEqual([title]);
  const [mail, ...others] = await mailsTo(house, owner.email);
  expect(others).toEqual([]);
  expect(mail?.subject).toBe(`Mail of ${address} is not being fetched`);
  expect(mail?.text).toContain('no longer accepts the consent');
  for (const person of [agent, quiet, stranger]) expect([await toldTo(person), await mailed(person)]).toEqual([[], []]);

  await sweepMailboxes(house.app);
  house.clock.advance(23 * hourMs);
  await sweepMailboxes(house.app);
  await house.drain();
  expect(await mailed(admin)).toHaveLength(1);
  house.clock.advance(hourMs);
  await Promise.all([sweepMailboxes(house.app), sweepMailboxes(house.app)]);
  await house.drain();
  expect(await mailed(admin)).toHaveLength(2);
  expect(await toldTo(admin)).toEqual([title, title]);

  const { refreshToken } = gmail.addMailbox({ address });
  await ask(owner, 'POST', '/mailboxes', { provider: 'mail-b', address, refreshToken });
  house.clock.advance(25 * hourMs);
  await sweepMailboxes(house.app);
  await house.drain();
  expect(await mailed(admin)).toHaveLength(2);
});

test('owners and admins are told of a mailbox that is out of reach for an hour, then daily', async () => {
  const owner = await makeOwner(house);
  const { address, sync } = await makeMailbox(owner.workspaceId);
  const fail = async (times: number) => {
    gmail.setFault({ on: 'any', address, status: 503, rate: 1 });
    for (let time = 0; time < times; time++) await sync().catch(() => {});
  };
  const recover = async () => {
    gmail.clearFaults();
    await sync();
  };
  const tellAfter = async (hours: number) => {
    house.clock.advance(hours * hourMs);
    await Promise.all([sweepMailboxes(house.app), sweepMailboxes(house.app)]);
    await house.drain();
    return (await mailed(owner)).length;
  };
  await sync();
  await fail(12);
  expect(await tellAfter(0.9)).toBe(0);
  expect(await tellAfter(0.2)).toBe(1);
  expect(await toldTo(owner)).toEqual([`The mailbox ${address} is out of reach`]);
  expect((await mailsTo(house, owner.email))[0]?.text).toContain('could be fetched');
  expect(await tellAfter(23)).toBe(1);
  expect(await tellAfter(1)).toBe(2);
  await recover();
  expect(await tellAfter(25)).toBe(2);
  await recover();
  await fail(12);
  expect(await tellAfter(1.1)).toBe(3);
  await recover();
  await fail(3);
  expect(await tellAfter(2)).toBe(3);
  await recover();
});

test('a mail about a mailbox that works again before it leaves is not sent', async () => {
  const owner = await makeOwner(house);
  const { address, mailboxId, sync } = await makeMailbox(owner.workspaceId);
  gmail.setFault({ on: 'token', address, status: 401, reason: 'invalid_client' });
  await sync();
  expect(await toldTo(owner)).toEqual([`The mailbox ${address} cannot be read`]);
  await ask(owner, 'POST', `/mailboxes/${mailboxId}/resume`);
  await house.drain();
  expect(await mailed(owner)).toEqual([]);
});

test('changes of the send status reach streams, webhooks, the audit log and people', async () => {
  const { owner, happen } = await makeHook(house, receiver);
  const { address, mailboxId, find } = await makeMailbox(owner.workspaceId);
  const refuse = async () => {
    const mailbox = await find();
    await house.app.db.tx((tx) => noteSendFault(tx, mailbox, new ProviderFault('forbidden', 'blocked', 'Blocked.')));
  };
  await refuse();
  house.clock.advance(hourMs);
  const token = house.app.tokens.sign({ userId: owner.userId, sessionId: owner.sessionId });
  const stream = await readEvents(house, owner, { token });
  await refuse();
  await refuse();
  const mailbox = await find();
  await house.app.db.tx((tx) => noteSendSuccess(tx, mailbox));
  const stopped = { mailboxId, field: 'sendStatus', from: 'active', to: 'error', reason: 'Blocked.' };
  const begun = { mailboxId, field: 'sendStatus', from: 'error', to: 'active', reason: null };
  const type = 'mailbox.status_changed';
  const actor = { type: 'system', userId: null };

  const events = await stream.until((all) => all.filter(({ event }) => event === 'mailbox').length === 2);
  stream.close();
  expect(events.map(({ event, data }) => [event, data])).toEqual([
    ['mailbox', { type, ...stopped, actor, createdAt: expect.any(String) }],
    ['notification', expect.objectContaining({ type: 'mailbox', ticketId: null, count: 1 })],
    ['mailbox', { type, ...begun, actor, createdAt: expect.any(String) }],
  ]);
  await happen();
  const sent = receiver.received.map(({ body }) => JSON.parse(String(body)));
  expect(sent.map((event) => [event.type, event.data.ticket, event.data.details])).toEqual([
    [type, null, stopped],
    [type, null, begun],
  ]);
  const { body } = await ask(owner, 'GET', `/audit?type=${type}`);
  const { mailboxId: _, ...toError } = stopped;
  expect(body.items).toMatchObject([
    { actor: null, subject: { id: mailboxId } },
    { actor: null, subject: { id: mailboxId }, data: toError },
  ]);
  expect(await toldTo(owner)).toEqual([`The mailbox ${address} cannot send`]);
});

test('connecting a mailbox again records the member as the cause', async () => {
  const owner = await makeOwner(house);
  const { address, mailboxId, sync } = await makeMailbox(owner.workspaceId);
  gmail.revoke(address);
  await sync();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set send_status = 'error' where workspace_id = ${owner.workspaceId} and id = ${mailboxId}`),
  );
  const { refreshToken } = gmail.addMailbox({ address });
  const connected = await ask(owner, 'POST', '/mailboxes', { provider: 'mail-b', address, refreshToken });
  expect(connected.body).toMatchObject({ id: mailboxId, status: 'active', sendStatus: 'active' });
  const facts = await house.app.db.rows<any>(sql`
    select actor_user_id as "userId", data
    from activity
    where workspace_id = ${owner.workspaceId} and type = 'mailbox.status_changed'
    order by id
    offset 1`);
  expect(facts.map(({ userId, data }) => [userId, data.field, data.from, data.to])).toEqual([
    [owner.userId, 'status', 'reauthorization_required', 'active'],
    [owner.userId, 'sendStatus', 'error', 'active'],
  ]);
  const { body } = await ask(owner, 'GET', '/audit?type=mailbox.status_changed&type=mailbox.connected');
  expect(body.items.map(({ type }: { type: string }) => type)).toEqual(['mailbox.connected', 'mailbox.status_changed']);
});
