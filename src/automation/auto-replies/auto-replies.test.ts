import { afterEach, beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { openSmtpPeer } from '../../../test/peers/smtp-peer.ts';
import { openAutoReplies } from '../../../test/worlds/automation/auto-replies.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { openSmtp } from '../../mail/providers/smtp.ts';

const house = useHouse({ SMTP_URL: 'smtp://127.0.0.1:1' });
let owner: Person;
let world: Awaited<ReturnType<typeof openAutoReplies>>;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  owner = await makeOwner(house);
  world = await openAutoReplies(house, owner);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const sent = { kind: 'received', withheld: null };
const never = { hours: [{ day: 1, open: '00:00', close: '00:01' }], timeZone: 'UTC' };
const always = Array.from({ length: 7 }, (_, day) => ({ day: day + 1, open: '00:00', close: '24:00' }));

test('answers the mail that opens a ticket, and changes nothing else', async () => {
  await world.make({});
  await world.receive({ 'Message-ID': '<first@example.org>' });
  const [before] = await ticketsOf(owner);
  await world.readOn();
  expect(await world.log()).toEqual([sent]);
  const ticket = await ticketOf(owner, before.id);
  expect(ticket.messages).toHaveLength(2);
  expect(ticket.messages[1]).toMatchObject({
    direction: 'outbound',
    author: { type: 'system' },
    automaticKind: 'auto-reply',
    body: `Hello Ann, we got #${ticket.ticketNumber}.`,
    to: ['ann@example.org'],
  });
  const { waitingSince, status, assigneeId, lastMessage } = before;
  expect(waitingSince).not.toBeNull();
  expect(ticket).toMatchObject({ waitingSince, status, assigneeId });
  expect((await ticketsOf(owner))[0]).toMatchObject({ lastMessage, waitingSince, messageCount: 2 });
  await world.receive({ 'In-Reply-To': '<first@example.org>' });
  await world.readOn();
  expect(await world.log()).toEqual([sent]);
});

test('a recount finds the same wait and the same newest message', async () => {
  await world.make({});
  await world.receive();
  await world.readOn();
  const [before] = await ticketsOf(owner);
  await house.app.db.tx((tx) =>
    tx.run(sql`update tickets set summary_version = null where workspace_id = ${owner.workspaceId}`),
  );
  const { summariseTickets } = await import('../../helpdesk/tickets/summary.ts');
  await summariseTickets(house.app.db);
  expect((await ticketsOf(owner))[0]).toEqual(before);
});

test('leaves as mail that no machine answers', async () => {
  const peer = await openSmtpPeer();
  const mail = openSmtp(peer.url);
  const former = house.app.mail;
  house.app.mail = mail;
  closers.push(
    peer.close,
    () => mail.close(),
    async () => {
      house.app.mail = former;
    },
  );
  await world.make({});
  await world.receive({ 'Message-ID': '<first@example.org>' }, 'leo@example.org');
  await world.readOn();
  await house.drain();
  const ofLeo = peer.received.filter(({ to }) => to.includes('leo@example.org'));
  expect(ofLeo).toHaveLength(1);
  const [received] = ofLeo;
  expect(received).toMatchObject({ from: '', to: ['leo@example.org'] });
  for (const header of [
    /^Auto-Submitted: auto-replied\r$/m,
    /^X-Auto-Response-Suppress: All\r$/m,
    /^In-Reply-To: <first@example\.org>\r$/m,
    /^References: .*<first@example\.org>\r$/ms,
    /^Subject: Re: The printer is on fire\r$/m,
  ])
    expect(received?.raw).toMatch(header);
  expect(received?.raw).not.toMatch(/^Precedence:/m);
});

test('a mail that bounces is nobody’s work', async () => {
  await world.make({});
  await world.receive();
  await world.readOn();
  const [{ id }] = await ticketsOf(owner);
  await world.done('POST', '/tickets/bulk', { ids: [id], status: 'closed' });
  const { markBounced } = await import('../../transport/deliveries/settle-delivery.ts');
  const [message] = (await ticketOf(owner, id)).messages.slice(1);
  await house.app.db.tx(async (tx) => {
    const key = { workspaceId: owner.workspaceId, messageId: message.id };
    await tx.run(sql`update messages set delivery_status = 'sent' where id = ${message.id}`);
    await markBounced(tx, { ...key, error: 'no such user', bounceKind: 'hard', enhancedStatusCode: '5.1.1' });
  });
  const ticket = await ticketOf(owner, id);
  expect(ticket).toMatchObject({ status: 'closed', deliveryProblem: null });
  expect(ticket.messages[1].delivery).toMatchObject({ status: 'bounced' });
  expect((await owner.call('GET', '/messages/undelivered')).body.items ?? []).toEqual([]);
});

test('one mail to an address within a day, also to its plus tags', async () => {
  await world.make({});
  await world.receive();
  await world.receive({}, 'ann+shop@example.org');
  await world.receive({}, 'ben@example.org');
  await world.readOn();
  expect(await world.log()).toEqual([sent, { kind: 'received', withheld: 'answered_lately' }, sent]);
});

test.each<[string, Record<string, string>, string?]>([
  ['automatic', { 'Auto-Submitted': 'auto-replied' }],
  ['automatic', { 'List-Id': '<dev.example.org>' }],
  ['no_envelope_sender', { 'Return-Path': '' }],
  ['unproven', { 'Return-Path': '<ann@elsewhere.example>' }],
  ['machine_address', {}, 'no-reply@example.org'],
  ['not_addressed', { To: 'others@example.org' }],
])('withholds: %s %j', async (withheld, headers, from) => {
  await world.make({});
  await world.receive(headers, from);
  await world.readOn();
  expect(await world.log()).toEqual([{ kind: 'received', withheld }]);
  const [reply] = await owner.call('GET', '/auto-replies').then(({ body }) => body);
  expect(reply).toMatchObject({ sentToday: 0, withheldToday: [{ reason: withheld, count: 1 }] });
});

test('a ticket says which answers its mails got, and why they got none', async () => {
  const { id: autoReplyId } = await world.make({ name: 'Thanks' });
  await world.receive({}, 'ann@example.org');
  await world.receive({ 'Auto-Submitted': 'auto-replied', Subject: 'Away' }, 'bob@example.org');
  await world.readOn();
  const answers = async (ticketId: string) => (await owner.call('GET', `/tickets/${ticketId}/automatic-replies`)).body;
  const [answered, away] = await ticketsOf(owner);
  const { messages } = await ticketOf(owner, answered.id);
  const [about, ids] = [{ autoReplyId, autoReplyName: 'Thanks' }, messages.map(({ id }: { id: string }) => id)];
  expect(await answers(answered.id)).toMatchObject([{ ...about, messageId: ids[0], replyId: ids[1], withheld: null }]);
  expect(await answers(away.id)).toMatchObject([{ ...about, replyId: null, withheld: 'automatic' }]);
  await world.done('DELETE', `/auto-replies/${autoReplyId}`);
  expect(await answers(away.id)).toMatchObject([{ autoReplyName: null, withheld: 'automatic' }]);
  expect((await owner.call('GET', `/tickets/${autoReplyId}/automatic-replies`)).status).toBe(404);
});

test('no member gets an answer, and no ticket in spam', async () => {
  await world.make({});
  await world.receive({}, owner.email);
  await owner.call('POST', '/blocked-senders', { sender: 'ann@example.org' });
  await world.receive();
  await world.readOn();
  expect(await world.log()).toEqual(
    ['own_address', 'not_in_inbox'].map((withheld) => ({ kind: 'received', withheld })),
  );
});

test('a text with an unknown name needs a default', async () => {
  const body = 'Hello {{ contact.name }}';
  const { id: savedReplyId } = await world.done('POST', '/saved-replies', { name: 'Named', body, isShared: true });
  await world.make({ savedReplyId });
  await world.receive({ From: 'ann@example.org' });
  await world.readOn();
  expect(await world.log()).toEqual([{ kind: 'received', withheld: 'variable_missing' }]);
});

test('out of hours: the first mail since a person’s answer, and only while it is closed', async () => {
  const closed = (await world.done('POST', '/calendars', { name: 'Seldom', ...never })).id;
  const open = (await world.done('POST', '/calendars', { name: 'Always', timeZone: 'UTC', hours: always })).id;
  await world.make({ kind: 'out_of_hours', calendarId: open, name: 'Never closed' });
  await world.receive({ 'Message-ID': '<a@example.org>' });
  await world.readOn();
  expect(await world.log()).toEqual([]);
  await world.make({ kind: 'out_of_hours', calendarId: closed, name: 'Closed' });
  const more = { 'In-Reply-To': '<a@example.org>' };
  await world.receive(more);
  await world.readOn();
  expect(await world.log()).toEqual([]);
  const [{ id }] = await ticketsOf(owner);
  await owner.call('POST', `/tickets/${id}/messages`, { body: 'We look.', sendEmail: true });
  await world.receive({ ...more, Date: new Date(house.clock.now().getTime() + 60_000).toUTCString() });
  await world.readOn();
  expect(await world.log()).toEqual([{ kind: 'out_of_hours', withheld: null }]);
});

test('of several, the most specific answers alone', async () => {
  const closed = (await world.done('POST', '/calendars', { name: 'Seldom', ...never })).id;
  const dates = { validFrom: '2020-01-01T00:00:00.000Z', validUntil: '2099-01-01T00:00:00.000Z' };
  const first = await world.make({ name: 'Received' });
  const second = await world.make({ name: 'Closed', kind: 'out_of_hours', calendarId: closed });
  const third = await world.make({ name: 'Holiday', kind: 'out_of_hours', ...dates });
  await world.make({ name: 'Over', kind: 'out_of_hours', ...dates, validUntil: '2021-01-01T00:00:00.000Z' });
  const sentBy = async () =>
    (await owner.call('GET', '/auto-replies')).body.flatMap(({ id, sentToday }: any) => (sentToday > 0 ? [id] : []));
  await world.receive();
  await world.readOn();
  expect(await sentBy()).toEqual([third.id]);
  for (const [off, from, expected] of [
    [third, 'ben@example.org', second],
    [second, 'carl@example.org', first],
  ]) {
    await world.done('PATCH', `/auto-replies/${off.id}`, { isActive: false });
    await world.receive({}, from);
    await world.readOn();
    expect(await sentBy()).toContain(expected.id);
  }
});

test('an import gets no answers', async () => {
  await world.make({});
  const { ingest, mailOf } = await import('../../../test/worlds/mails.ts');
  const headers = { To: world.address, 'Return-Path': '<ann@example.org>' };
  await ingest(house, owner, [mailOf({ headers })], 'import');
  await world.readOn();
  expect(await world.log()).toEqual([]);
});

test('refuses what makes no sense, and keeps what it names', async () => {
  const { savedReplyId } = world;
  const issue = async (input: object) => {
    const { status, body } = await owner.call('POST', '/auto-replies', {
      name: 'x',
      kind: 'received',
      savedReplyId,
      ...input,
    });
    return [status, body.params?.issues?.[0]?.key ?? body.key];
  };
  const unknown = owner.workspaceId;
  expect(await issue({ savedReplyId: unknown })).toEqual([400, 'not_a_saved_reply']);
  expect(await issue({ mailboxId: unknown })).toEqual([400, 'not_a_mailbox']);
  expect(await issue({ kind: 'out_of_hours' })).toEqual([400, 'needs_hours']);
  expect(await issue({ kind: 'out_of_hours', calendarId: unknown })).toEqual([400, 'not_a_calendar']);
  expect(await issue({ calendarId: unknown })).toEqual([400, 'not_of_kind']);
  const validFrom = '2026-01-02T00:00:00.000Z';
  expect(await issue({ validFrom, validUntil: validFrom })).toEqual([400, 'not_after_from']);
  const { id } = await world.make({ name: 'Uses it' });
  expect((await owner.call('DELETE', `/saved-replies/${savedReplyId}`)).body).toMatchObject({
    key: 'in_use',
    params: { autoReplies: ['Uses it'] },
  });
  await world.done('DELETE', `/auto-replies/${id}`);
  expect((await owner.call('DELETE', `/saved-replies/${savedReplyId}`)).status).toBe(204);
});

test('the reader of facts begins with the first active reply, and ends with the last', async () => {
  const readers = async () =>
    (await house.app.db.rows(sql`select from rule_readers where workspace_id = ${owner.workspaceId}`)).length;
  const { id } = await world.make({ isActive: false });
  expect(await readers()).toBe(0);
  await world.done('PATCH', `/auto-replies/${id}`, { isActive: true });
  expect(await readers()).toBe(1);
  await world.done('DELETE', `/auto-replies/${id}`);
  expect(await readers()).toBe(0);
});

test('a test goes to who asks alone', async () => {
  const { id } = await world.make({ isActive: false });
  await world.done('POST', `/auto-replies/${id}/test`);
  const letters: { recipients: string[]; raw: unknown }[] = [];
  const former = house.app.systemMail;
  house.app.systemMail = {
    ...former,
    send: async (mail) => {
      letters.push(mail);
      return { ok: true };
    },
  };
  closers.push(async () => {
    house.app.systemMail = former;
  });
  await house.drain();
  expect(letters.map(({ recipients }) => recipients)).toEqual([[owner.email]]);
  expect(String(letters[0]?.raw)).toMatch(/we got #1\./);
  expect(await ticketsOf(owner)).toEqual([]);
});
