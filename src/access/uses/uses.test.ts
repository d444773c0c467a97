import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { type Answer, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { setUses, type UsedSubject } from './set-uses.ts';

const house = useHouse({}, { resolveName: async () => ['93.184.215.14'] });
let owner: Person;
let subjects: Record<UsedSubject['kind'], string>;
const trigger = { event: 'message.added' };

beforeEach(async () => {
  owner = await makeOwner(house);
  const { workspaceId } = owner;
  const made = async (path: string, body: object) => {
    const answer = await owner.call('POST', path, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.id as string;
  };
  const mailbox = await putMailbox(house, {
    ...{ workspaceId, provider: 'mail-b', address: `${newId()}@x.org`, refreshToken: 'r' },
  });
  subjects = {
    team: await made('/teams', { name: 'Billing' }),
    mailbox: mailbox.id,
    saved_reply: await made('/saved-replies', { name: 'Thanks', body: 'Thank you.', isShared: true }),
    webhook: await made('/webhooks', { url: 'https://hooks.example.org/kontor' }),
    calendar: await made('/calendars', {
      name: 'Office',
      timeZone: 'UTC',
      hours: [{ day: 1, open: '09:00', close: '17:00' }],
    }),
  };
});

const rule = (name: string, more: object = {}) => ({
  ...{ name, trigger },
  actions: {
    ...{ teamId: subjects.team, mailboxId: subjects.mailbox, webhookId: subjects.webhook },
    reply: { savedReplyId: subjects.saved_reply, to: 'requester' },
  },
  conditions: { all: [{ hours: { calendarId: subjects.calendar, isOpen: true } }] },
  ...more,
});
const removals = (): [string, string, object?][] => [
  ['DELETE', `/teams/${subjects.team}`],
  ['PATCH', `/teams/${subjects.team}`, { archived: true }],
  ['DELETE', `/mailboxes/${subjects.mailbox}`],
  ['PATCH', `/saved-replies/${subjects.saved_reply}`, { isShared: false }],
  ['DELETE', `/saved-replies/${subjects.saved_reply}`],
  ['DELETE', `/webhooks/${subjects.webhook}`],
  ['DELETE', `/calendars/${subjects.calendar}`],
];
const outcomeOf = ({ status, body }: Answer) => [status, body?.key, body?.params];

test('what a rule names stays until no rule names it, and the answer names the rules', async () => {
  const first = (await owner.call('POST', '/rules', rule('First'))).body;
  const second = (await owner.call('POST', '/rules', rule('Second', { actions: { teamId: subjects.team } }))).body;
  for (const [method, path, body] of removals()) {
    const rules = /^.(teams|calendars)/.test(path) ? ['First', 'Second'] : ['First'];
    expect([path, ...outcomeOf(await owner.call(method, path, body))]).toEqual([
      ...[path, 409, 'in_use'],
      { rules, autoReplies: [] },
    ]);
  }
  await owner.call('PATCH', `/rules/${first.id}`, { name: 'Renamed', conditions: null, actions: { priority: 'high' } });
  expect(outcomeOf(await owner.call('DELETE', `/teams/${subjects.team}`))).toEqual([
    ...[409, 'in_use'],
    { rules: ['Second'], autoReplies: [] },
  ]);
  expect((await owner.call('DELETE', `/rules/${second.id}`)).status).toBe(204);
  for (const [method, path, body] of [...removals().slice(1), ...removals().slice(0, 1)])
    expect([path, (await owner.call(method, path, body)).status]).toEqual([path, body === undefined ? 204 : 200]);
});

test('a use in another workspace holds nothing here', async () => {
  const stranger = await makeOwner(house);
  const { body } = await stranger.call('POST', '/rules', { name: 'Elsewhere', trigger, actions: { priority: 'high' } });
  await house.app.db.tx((tx) =>
    setUses(
      ...[tx, stranger.workspaceId, { kind: 'rule', id: body.id } as const],
      Object.entries(subjects).map(([kind, id]) => ({ kind: kind as UsedSubject['kind'], id })),
    ),
  );
  for (const [method, path, change] of [...removals().slice(1), ...removals().slice(0, 1)])
    expect([path, (await owner.call(method, path, change)).status]).toEqual([path, change === undefined ? 204 : 200]);
});

test('automatic replies hold what they name, too', async () => {
  const { workspaceId } = owner;
  await house.app.db.tx(async (tx) => {
    const id = tx.newId();
    await tx.run(sql`
      insert into auto_replies (workspace_id, id, name, kind, saved_reply_id, is_active, version, created_at,
        updated_at)
      values (${workspaceId}, ${id}, 'Away', 'received', ${subjects.saved_reply}, true, 1, ${tx.now}, ${tx.now})`);
    await setUses(tx, workspaceId, { kind: 'auto_reply', id }, [{ kind: 'saved_reply', id: subjects.saved_reply }]);
  });
  await owner.call('POST', '/rules', rule('Both'));
  expect(outcomeOf(await owner.call('DELETE', `/saved-replies/${subjects.saved_reply}`))).toEqual([
    ...[409, 'in_use'],
    { rules: ['Both'], autoReplies: ['Away'] },
  ]);
});

test('of a rule that names a team and the deletion of the team, one comes first', async () => {
  const [made, removed] = await Promise.all([
    owner.call('POST', '/rules', rule('Race')),
    owner.call('DELETE', `/teams/${subjects.team}`),
  ]);
  expect([
    [201, 409],
    [409, 204],
  ]).toContainEqual([made.status, removed.status]);
});
