import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { putMailbox } from '../../../../test/worlds/put-mailbox.ts';
import { newId } from '../../../ground/lib/ids.ts';

const house = useHouse({}, { resolveName: async () => ['93.184.215.14'] });
let owner: Person;
let agent: Person;

/** A workspace in which each kind of thing that a rule may name has the same name. */
async function furnished(address: string): Promise<{ owner: Person; agent: Person }> {
  const person = await makeOwner(house);
  const { workspaceId } = person;
  const hana = await makeMember(house, workspaceId, 'agent');
  const post = async (path: string, body: object) => expect((await person.call('POST', path, body)).status).toBe(201);
  await post('/teams', { name: 'Billing' });
  await post('/saved-replies', { name: 'Thanks', body: 'Thank you.', isShared: true });
  await post('/webhooks', { url: 'https://hooks.test/kontor', description: 'Shop' });
  await post('/tickets', { subject: 's', body: 'b', requester: { email: 'bob@example.com' } });
  await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'r' });
  await post('/calendars', { name: 'Office', timeZone: 'UTC', hours: [{ day: 1, open: '09:00', close: '17:00' }] });
  return { owner: person, agent: hana };
}

beforeEach(async () => {
  ({ owner, agent } = await furnished(`${newId()}@x.org`));
});

const plain = { trigger: { event: 'message.added' }, actions: { priority: 'high' } };
const put = (person: Person, rules: object[], query = '', more: object = {}) =>
  person.call('PUT', `/rules/bundle${query}`, { rules, ...more });
const namesOf = async (person: Person) => (await person.call('GET', '/rules')).body.map(({ name }: any) => name);

test('a file with names makes the same rules in any workspace that has the names', async () => {
  const elsewhere = await furnished(`${newId()}@x.org`);
  const everything = (hana: Person, mailbox: string) => ({
    ...{ name: 'Everything', isActive: false, onRules: true, stopAfter: true },
    trigger: { after: '4h', since: 'waitingSince', calendarId: 'Office' },
    conditions: {
      any: [
        {
          ticket: { mailbox: [mailbox], team: ['Billing', 'none'], assignee: [hana.email], contact: 'bob@example.com' },
        },
        { all: [{ hours: { calendarId: 'office', isOpen: false } }] },
      ],
    },
    actions: {
      ...{ assignee: hana.email, teamId: 'billing', mailboxId: mailbox, webhookId: 'Shop', addTags: ['VIP'] },
      reply: { savedReplyId: 'Thanks', to: 'requester' },
      notify: { teamId: 'Billing', userIds: [hana.email] },
    },
  });
  const mailboxOf = async (person: Person) => (await person.call('GET', '/mailboxes')).body[0].address;
  const given = everything(agent, await mailboxOf(owner));
  expect((await put(owner, [given])).body).toMatchObject({ created: ['Everything'], changed: [], removed: [] });
  const [rule] = (await owner.call('GET', '/rules')).body;
  const [team] = (await owner.call('GET', '/teams')).body;
  expect(rule.actions).toMatchObject({ assignee: agent.userId, teamId: team.id, notify: { userIds: [agent.userId] } });
  const { body: file } = await owner.call('GET', '/rules/bundle');
  expect(file.rules).toEqual([
    {
      ...given,
      conditions: { any: [given.conditions.any[0], { all: [{ hours: { calendarId: 'Office', isOpen: false } }] }] },
      actions: { ...given.actions, teamId: 'Billing' },
    },
  ]);
  expect((await put(owner, file.rules)).body).toMatchObject({ unchanged: ['Everything'], changed: [], order: 'kept' });
  // Members and mailboxes have other addresses there.
  const carried = JSON.parse(
    JSON.stringify(file)
      .replaceAll(agent.email, elsewhere.agent.email)
      .replaceAll(await mailboxOf(owner), await mailboxOf(elsewhere.owner)),
  );
  expect((await put(elsewhere.owner, carried.rules)).body).toMatchObject({ created: ['Everything'] });
  expect((await elsewhere.owner.call('GET', '/rules/bundle')).body).toEqual(carried);
});

test('the file replaces by name, in its order, and a dry run says so without doing it', async () => {
  const before = [
    { name: 'One', ...plain },
    { name: 'Two', ...plain, isActive: true },
    { name: 'Three', ...plain },
  ];
  await put(owner, before);
  const [one, two] = (await owner.call('GET', '/rules')).body;
  const file = [
    { name: 'Four', ...plain },
    { name: 'TWO', ...plain, isActive: false },
    { name: 'One', ...plain, actions: { status: 'closed' } },
  ];
  const told = { created: ['Four'], changed: ['TWO', 'One'], removed: ['Three'], unchanged: [], order: 'changed' };
  const { body: log } = await owner.call('GET', '/audit');
  expect((await put(owner, file, '?dryRun=true')).body).toEqual(told);
  expect(await namesOf(owner)).toEqual(['One', 'Two', 'Three']);
  expect((await owner.call('GET', '/audit')).body).toEqual(log);
  expect((await put(owner, file)).body).toEqual(told);
  expect((await owner.call('GET', '/rules')).body).toMatchObject([
    { name: 'Four', position: 0 },
    { name: 'TWO', id: two.id, isActive: false, position: 1 },
    { name: 'One', id: one.id, actions: { status: 'closed' }, version: 2, position: 2 },
  ]);
});

test('a fault says where in the file it is, all of them at once, and nothing is done', async () => {
  await put(owner, [{ name: 'Stays', ...plain }]);
  const { body } = await put(owner, [
    {
      name: 'A',
      ...plain,
      actions: { teamId: 'Nobody', assignee: 'who@x.org', reply: { savedReplyId: 'x', to: 'requester' } },
    },
    { name: 'B', ...plain, conditions: { all: [{ ticket: { team: ['Billing', 'Bills'] } }] } },
  ]);
  expect(body.params.issues.map(({ path, key }: any) => [path, key])).toEqual([
    ['body.rules.0.actions.assignee', 'not_a_member'],
    ['body.rules.0.actions.teamId', 'not_a_team'],
    ['body.rules.0.actions.reply.savedReplyId', 'not_a_saved_reply'],
    ['body.rules.1.conditions.all.0.ticket.team.1', 'not_a_team'],
  ]);
  const twice = await put(owner, [
    { name: 'A', ...plain },
    { name: 'a', ...plain, trigger: { event: 'ticket.tagged', direction: 'inbound' } },
  ]);
  expect(twice.body.params.issues.map(({ path, key }: any) => [path, key])).toEqual([
    ['body.rules.1.name', 'repeated'],
    ['body.rules.1.trigger.direction', 'not_of_event'],
  ]);
  expect((await put(owner, [{ name: 'A', ...plain, action: {} }])).body.params.issues).toMatchObject([
    { path: 'body.rules.0.action' },
  ]);
  expect(await namesOf(owner)).toEqual(['Stays']);
});

test('a name of two things is refused, and such a thing is exported by its id', async () => {
  await owner.call('POST', '/saved-replies', { name: 'thanks', body: 'Thanks!', isShared: true });
  const { body: replies } = await owner.call('GET', '/saved-replies?sort=name');
  const rule = (savedReplyId: string) => ({
    ...plain,
    name: 'R',
    actions: { reply: { savedReplyId, to: 'requester' } },
  });
  expect((await put(owner, [rule('Thanks')])).body.params.issues).toMatchObject([{ key: 'not_a_saved_reply' }]);
  const { id } = replies.items[0];
  expect((await put(owner, [rule(id)])).status).toBe(200);
  expect((await owner.call('GET', '/rules/bundle')).body.rules[0].actions.reply.savedReplyId).toBe(id);
});

test('a rule that may mail everybody needs a confirmation, and only owners and admins may', async () => {
  const rule = { ...plain, name: 'R', isActive: true, actions: { reply: { savedReplyId: 'Thanks', to: 'requester' } } };
  expect((await put(owner, [rule])).body).toMatchObject({ key: 'rule.unconfirmed', params: { path: 'body.rules.0' } });
  expect((await put(owner, [rule], '', { confirm: true })).body).toMatchObject({ created: ['R'] });
  for (const method of ['GET', 'PUT'])
    expect((await agent.call(method, '/rules/bundle', method === 'GET' ? undefined : { rules: [] })).body.key).toBe(
      'auth.role_insufficient',
    );
});
