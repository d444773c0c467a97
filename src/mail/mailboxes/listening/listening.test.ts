import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFaultProxy } from '../../../../emulators/fault-proxy.ts';
import { buildReplica, type House } from '../../../../test/harness/harness.ts';
import { ticketsOf } from '../../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import { openImap } from '../../providers/imap/imap.ts';
import { type ListeningPace, startListening } from './listening.ts';

const { house, server, openDesk } = await useImapMail();
const quick: ListeningPace = { lookMs: 20, renewMs: 50, restsSeconds: [0.05] };
const waiting = { timeout: 30_000, interval: 10 };
const usual = { ...server.quirks };
const stops: (() => Promise<void>)[] = [];

beforeEach(() => {
  Object.assign(server.quirks, usual);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await house.app.db.tx((tx) => tx.run(sql`update mailboxes set status = 'paused'`));
});

function listen(app: House['app'] = house.app, pace = quick) {
  const listening = startListening(app, pace);
  stops.push(listening.stop);
  return listening;
}

type Desk = Awaited<ReturnType<typeof openDesk>>;
const rowOf = ({ id }: Desk) =>
  house.app.db.maybe<{ holder: string | null; restSeconds: number; failures: number }>(sql`
    select holder, extract(epoch from held_until - now())::float8 as "restSeconds", failures
    from mailbox_listeners where mailbox_id = ${id}`);
const isDue = ({ id }: Desk) =>
  house.app.db.one<{ due: boolean }>(sql`
    select due_at <= ${house.app.clock.now()} as due from mailbox_syncs where mailbox_id = ${id}`);
const untilDue = (desk: Desk) => vi.waitFor(async () => expect(await isDue(desk)).toEqual({ due: true }), waiting);
const untilHeard = ({ account }: Desk, connections = 1) =>
  vi.waitFor(() => expect(account.watchers.size).toBe(connections), waiting);

/** Waits for the sync that follows each new connection. */
async function openHeardDesk(): Promise<Desk> {
  const desk = await openDesk();
  listen();
  await untilHeard(desk);
  await sleep(200);
  await desk.read();
  return desk;
}

test('new mail makes its mailbox due, and no other', async () => {
  const other = await openHeardDesk();
  const desk = await openHeardDesk();
  server.deliver(desk.address, { raw: mailOf('News') });
  await untilDue(desk);
  await house.drain();
  expect(await ticketsOf(desk.owner)).toMatchObject([{ subject: 'News' }]);
  expect(await isDue(other)).toEqual({ due: false });
});

test('many mails at once share a sync', async () => {
  const desk = await openHeardDesk();
  const { calls } = vi.spyOn(house.app.db, 'tx').mock;
  const before = calls.length;
  for (let mail = 0; mail < 50; mail++) server.deliver(desk.address, { raw: mailOf(`News ${mail}`) });
  await untilDue(desk);
  expect(calls.length - before).toBeLessThan(40);
  vi.restoreAllMocks();
});

test('one process listens to a mailbox, and another goes on when it stops', async () => {
  const replica = await buildReplica(house);
  stops.push(replica.close);
  const desk = await openDesk();
  const first = listen();
  await untilHeard(desk);
  const before = await rowOf(desk);
  const second = startListening(replica.app, quick);
  stops.unshift(second.stop);
  await sleep(300);
  expect(desk.account.watchers.size).toBe(1);
  expect((await rowOf(desk))?.holder).toBe(before?.holder);
  await first.stop();
  await vi.waitFor(async () => expect((await rowOf(desk))?.holder).not.toBe(before?.holder), waiting);
  await untilHeard(desk);
});

test('a mailbox of a process that died is listened to when its lease is over', async () => {
  const desk = await openDesk();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into mailbox_listeners (workspace_id, mailbox_id, holder, held_until)
      values (${desk.mailbox.workspaceId}, ${desk.id}, ${newId()}, now() + interval '700 milliseconds')`),
  );
  listen();
  await sleep(300);
  expect(desk.account.watchers.size).toBe(0);
  await untilHeard(desk);
});

test('a broken connection is opened anew, and mail that came meanwhile is found', async () => {
  const desk = await openHeardDesk();
  server.dropConnections();
  server.deliver(desk.address, { raw: mailOf('Meanwhile') });
  await untilDue(desk);
  await untilHeard(desk);
  expect(await rowOf(desk)).toMatchObject({ holder: expect.any(String), failures: 1 });
});

test('a server that cannot tell is left alone for hours, and its mail is found by looking', async () => {
  server.quirks.hiddenCapabilities = ['IDLE'];
  const desk = await openDesk();
  listen();
  await vi.waitFor(async () => expect((await rowOf(desk))?.holder).toBeNull(), waiting);
  expect((await rowOf(desk))?.restSeconds).toBeGreaterThan(3_600);
  server.deliver(desk.address, { raw: mailOf('Unheard') });
  await desk.read();
  expect(await ticketsOf(desk.owner)).toMatchObject([{ subject: 'Unheard' }]);
});

test('a mailbox that is paused is left, and listened to again once it is resumed', async () => {
  const desk = await openHeardDesk();
  await desk.owner.call('POST', `/mailboxes/${desk.id}/pause`);
  await untilHeard(desk, 0);
  await desk.owner.call('POST', `/mailboxes/${desk.id}/resume`);
  await untilHeard(desk);
});

test('a mailbox that is connected again is listened to with its new password', async () => {
  const desk = await openHeardDesk();
  desk.account.password = 'changed';
  await desk.owner.call('DELETE', `/mailboxes/${desk.id}`);
  const { imap, smtp } = desk.body;
  const again = { provider: 'imap', address: desk.address, imap, smtp, password: 'changed' };
  expect(await desk.owner.call('POST', '/mailboxes', again)).toMatchObject({ status: 201, body: { id: desk.id } });
  await vi.waitFor(async () => expect((await rowOf(desk))?.holder).toEqual(expect.any(String)), waiting);
  await untilHeard(desk);
});

describe('at once, and not with the next regular look,', () => {
  const rare: ListeningPace = { lookMs: 3_600_000, renewMs: 3_600_000, restsSeconds: [0.05] };

  /** The first look is over, and the process hears others. */
  const listenRarely = async (app: House['app']) => {
    const event = newId();
    const heard = vi.fn<(name: string) => void>();
    stops.push(async () => unfollow());
    const unfollow = app.live.followSignals((signal) => heard(signal.event));
    const { workspaceId } = (await openDesk()).mailbox;
    await vi.waitFor(() => {
      house.app.live.signal({ workspaceId, userId: null, event, data: {}, isInternal: true });
      expect(heard).toHaveBeenCalledWith(event);
    }, waiting);
    const first = await openDesk();
    listen(app, rare);
    await untilHeard(first);
    return first;
  };
  const untilHeardAnew = ({ account }: Desk, former: unknown) =>
    vi.waitFor(() => {
      expect(account.watchers.size).toBe(1);
      expect([...account.watchers]).not.toContain(former);
    }, waiting);

  test('a mailbox is listened to that another process connects', async () => {
    const replica = await buildReplica(house);
    stops.push(replica.close);
    await listenRarely(replica.app);
    const desk = await openDesk();
    await untilHeard(desk);
  });

  test('a mailbox is listened to that was in error, and is resumed', async () => {
    const desk = await openDesk();
    await house.app.db.tx((tx) => tx.run(sql`update mailboxes set status = 'error' where id = ${desk.id}`));
    await listenRarely(house.app);
    expect(desk.account.watchers.size).toBe(0);
    await desk.owner.call('POST', `/mailboxes/${desk.id}/resume`);
    await untilHeard(desk);
  });

  test('a mailbox that is connected again is listened to with its new access alone', async () => {
    const desk = await listenRarely(house.app);
    const [former] = desk.account.watchers;
    await desk.owner.call('POST', `/mailboxes/${desk.id}/pause`);
    expect(await desk.owner.call('POST', '/mailboxes', desk.body)).toMatchObject({ status: 201 });
    await untilHeardAnew(desk, former);
    expect(await rowOf(desk)).toMatchObject({ holder: expect.any(String), failures: 0 });
  });

  test('a mailbox is listened to in the folders that are chosen now', async () => {
    const desk = await listenRarely(house.app);
    const [former] = desk.account.watchers;
    const choice = { inboxPaths: ['INBOX'], sentPath: null, afterIntake: 'leave', movePath: null };
    expect(await desk.owner.call('PUT', `/mailboxes/${desk.id}/folders`, choice)).toMatchObject({ status: 200 });
    await untilHeardAnew(desk, former);
  });
});

describe('a connection', () => {
  const listenThrough = async (patience: { silenceMs: number; idleMs: number }) => {
    const { address, body } = await openDesk();
    const proxy = await openFaultProxy({ target: { host: server.host, port: server.ports.imap } });
    stops.push(proxy.close);
    const end = { host: proxy.host, port: proxy.port, security: 'none' as const };
    const provider = openImap({ reach: async () => ['127.0.0.1'], patience });
    stops.unshift(provider.close);
    const login = { address, imap: end, smtp: body.smtp, username: address, secret: { password: 'secret' } };
    const ending = new AbortController();
    const onNews = vi.fn<() => void>();
    const opened = Promise.withResolvers<void>();
    const told = { onOpen: opened.resolve, onNews };
    const places = { inboxPaths: ['INBOX'], sentPath: null, sentCopy: 'none', sentCopyLearned: null } as const;
    const tidying = { afterIntake: 'leave', movePath: null } as const;
    const read = async () => ({ ...login, ...places, ...tidying, inboxPaths: ['INBOX'] });
    const access = { server: read, learnSentCopy: async () => undefined, signal: ending.signal };
    const listening = provider.listen(access, told);
    await Promise.race([opened.promise, listening]);
    return { address, proxy, ending, onNews, listening };
  };

  test('is renewed before a server ends it', async () => {
    const before = server.commands.length;
    const { ending, listening } = await listenThrough({ silenceMs: 60_000, idleMs: 300 });
    await sleep(3_000);
    ending.abort();
    await listening;
    expect(server.commands.slice(before).filter((name) => name === 'IDLE').length).toBeGreaterThan(1);
  });

  test('to a server that hangs is given up', async () => {
    const { proxy, listening } = await listenThrough({ silenceMs: 300, idleMs: 60_000 });
    proxy.faults.stallAfterBytes = 0;
    await expect(listening).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
