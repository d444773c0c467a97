import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { openSmtpPeer } from '../../../test/peers/smtp-peer.ts';
import { linksIn, openSurveys, visitor } from '../../../test/worlds/automation/surveys.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { runRulesNow } from '../../../test/worlds/rules.ts';
import { sql } from '../../ground/database/sql.ts';
import { openSmtp } from '../../mail/providers/smtp.ts';
import { type ClosingFact, planSurvey } from './plan-survey.ts';

const house = useHouse({ SMTP_URL: 'smtp://127.0.0.1:1', RATE_LIMIT_PER_MINUTE: '0' });
let owner: Person;
let desk: Awaited<ReturnType<typeof openSurveys>>;

beforeEach(async () => {
  owner = await makeOwner(house);
  desk = await openSurveys(house, owner);
});

let count = 0;
/** A ticket that a proven mail opened. */
async function received(headers: Record<string, string> = {}): Promise<string> {
  const from = `ann${++count}@example.org`;
  const to = house.app.config.mailFrom.email;
  await ingest(house, owner, [
    mailOf({
      headers: { 'Return-Path': `<${from}>`, From: `Ann <${from}>`, To: to, Subject: `Mail ${count}`, ...headers },
    }),
  ]);
  const found = (await ticketsOf(owner)).find(({ subject }: any) => subject === `Mail ${count}`);
  return found.id;
}
const close = (ticketId: string) => desk.done('POST', `/tickets/${ticketId}/status`, { toStatus: 'closed' });
const plans = () =>
  house.app.db.rows(sql`select ticket_id from survey_plans where workspace_id = ${owner.workspaceId}`);
const asks = () => house.app.db.rows(sql`select message_id from survey_asks where workspace_id = ${owner.workspaceId}`);
/** Reads all facts, those that an open transaction of whichever test holds up too, and does what is due. */
async function settle() {
  await runRulesNow(house, owner);
  await house.drain();
}
/** Lets the mails become due, and sends them. */
async function later() {
  await house.app.db.tx((tx) => tx.run(sql`update survey_plans set due_at = due_at - interval '1 day'`));
  await settle();
}

test('asks once after a member has closed a ticket, by a mail that no machine answers', async () => {
  const peer = await openSmtpPeer();
  const former = house.app.mail;
  const mail = openSmtp(peer.url);
  house.app.mail = mail;
  try {
    await desk.make({ ask: 'after_close', delayMinutes: 30 });
    const ticketId = await received();
    await close(ticketId);
    await settle();
    expect([await plans(), await asks()]).toMatchObject([[{}], []]);
    await later();
    expect([await plans(), await asks()]).toMatchObject([[], [{}]]);
    const sent = peer.received.filter(({ to }) => to.includes(`ann${count}@example.org`));
    expect(sent).toHaveLength(1);
    const raw = sent[0]?.raw ?? '';
    expect(raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    const { scores, trap } = linksIn(raw);
    expect(scores).toHaveLength(5);
    expect((await visitor(house).open(scores[0] ?? '')).status).toBe(200);
    expect((await visitor(house).open(trap ?? '')).status).toBe(404);
    const ticket = await ticketOf(owner, ticketId);
    expect(ticket).toMatchObject({ status: 'closed' });
    expect(ticket.messages.at(-1)).toMatchObject({ automaticKind: 'auto-reply', author: { type: 'system' } });
    expect(ticket.messages.at(-1).body).not.toContain('/s/');
  } finally {
    house.app.mail = former;
    await mail.close();
    await peer.close();
  }
});

test('asks nobody whose ticket is open again, who was asked lately, or whom no person wrote for', async () => {
  await desk.make({ ask: 'after_close', everyDays: 30 });
  const reopened = await received();
  await close(reopened);
  await settle();
  await desk.done('POST', `/tickets/${reopened}/status`, { toStatus: 'open' });
  const machine = await received({ 'Auto-Submitted': 'auto-generated' });
  await close(machine);
  const unproven = await received({ 'Return-Path': '<ann@elsewhere.example>' });
  await close(unproven);
  await settle();
  await later();
  expect([await plans(), await asks()]).toEqual([[], []]);
  const twice = await received();
  await close(twice);
  await settle();
  await later();
  expect(await asks()).toHaveLength(1);
  await desk.done('POST', `/tickets/${twice}/status`, { toStatus: 'open' });
  await close(twice);
  await settle();
  expect(await plans()).toEqual([]);
});

test('plans for what a member closes by hand or by a saved reply alone', async () => {
  await desk.make({ ask: 'after_close' });
  const ticketId = await received();
  await close(ticketId);
  const fact = (more: object) =>
    ({
      ...{ type: 'ticket.status_changed', data: { from: 'open', to: 'closed' }, cause: null },
      ...{ actorUserId: owner.userId, createdAt: '2026-01-01T00:00:00.000Z', ticket: { id: ticketId } },
      ...more,
    }) as ClosingFact;
  const plansFor = async (more: object) => {
    await house.app.db.tx((tx) => tx.run(sql`delete from survey_plans where ticket_id = ${ticketId}`));
    await house.app.db.tx((tx) => planSurvey(tx, owner.workspaceId, fact(more)));
    return (await plans()).length;
  };
  expect(await plansFor({})).toBe(1);
  expect(await plansFor({ cause: { kind: 'saved_reply', id: null } })).toBe(1);
  for (const kind of ['bulk_change', 'bulk_undo', 'rule', 'import', 'departure'])
    expect(await plansFor({ cause: { kind, id: null } })).toBe(0);
  expect(await plansFor({ actorUserId: null })).toBe(0);
  expect(await plansFor({ data: { from: 'open', to: 'pending' } })).toBe(0);
});

test('owners and admins keep surveys, and each change stands in the audit log', async () => {
  const agent = await makeMember(house, owner.workspaceId, 'agent', 'Agent');
  const body = { ask: 'in_answer', scale: 'two', language: 'en' };
  expect((await agent.call('POST', '/surveys', body)).status).toBe(403);
  const survey = await desk.done('POST', '/surveys', body);
  expect(survey).toMatchObject({ isActive: false, mailboxId: null, question: null, delayMinutes: 60, everyDays: 14 });
  expect(await owner.call('POST', '/surveys', body)).toMatchObject({ status: 409, body: { key: 'survey.exists' } });
  await desk.done('POST', '/surveys', { ...body, ask: 'after_close' });
  expect(await desk.done('PATCH', `/surveys/${survey.id}`, { scale: 'three', isActive: true })).toMatchObject({
    ...{ scale: 'three', isActive: true, version: 2 },
  });
  expect((await agent.call('GET', '/surveys')).body).toHaveLength(2);
  const bad = { ...body, mailboxId: survey.id };
  expect((await owner.call('POST', '/surveys', bad)).status).toBe(400);
  await desk.done('DELETE', `/surveys/${survey.id}`);
  expect(await owner.call('GET', `/surveys/${survey.id}`)).toMatchObject({ status: 404 });
  const { body: log } = await owner.call('GET', '/audit');
  const told = (log.items ?? log).filter(({ type }: any) => type.startsWith('survey.'));
  expect(told.map(({ type, data }: any) => [type, data.changed ?? null]).reverse()).toEqual([
    ['survey.created', null],
    ['survey.created', null],
    ['survey.changed', ['scale', 'isActive']],
    ['survey.deleted', null],
  ]);
});
