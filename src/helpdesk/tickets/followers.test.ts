import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { newId, type UserId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let agent: Person;
let viewer: Person;
let stranger: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  const { workspaceId } = owner;
  [agent, viewer, stranger] = await Promise.all([
    makeMember(house, workspaceId, 'agent', 'Ann'),
    makeMember(house, workspaceId, 'viewer', 'Vera'),
    makeOwner(house, 'Elsewhere'),
  ]);
});

const make = async (fields = {}): Promise<any> =>
  (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'b', ...fields })).body;
const followersOf = async (ticketId: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets/${ticketId}/followers`)).body.map(({ userId }: any) => userId);
const toldOf = async (person: Person, ticketId: string): Promise<any[]> =>
  (await person.call('GET', '/notifications?limit=50')).body.items.filter((one: any) => one.referenceId === ticketId);

/** Makes a ticket that a customer opened by mail, and a way for the customer to answer. */
async function correspond(): Promise<{ ticketId: string; answer(headers?: Record<string, string>): Promise<void> }> {
  const id = `<${newId()}@example.org>`;
  await ingest(house, owner, [mailOf({ headers: { 'Message-ID': id, Subject: id } })]);
  const { body } = await owner.call('GET', `/tickets?search=${encodeURIComponent(id)}`);
  return {
    ticketId: body[0].id,
    answer: async (headers = {}) => {
      await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': id, ...headers } })]);
    },
  };
}

test('a follower is added and removed once', async () => {
  const { id } = await make();
  const url = `/tickets/${id}/followers`;
  const added = await viewer.call('POST', url);
  expect(added).toMatchObject({ status: 201, body: { userId: viewer.userId, email: viewer.email, name: 'Vera' } });
  expect(await viewer.call('POST', url, {})).toMatchObject({ status: 200, body: added.body });
  expect((await owner.call('POST', url, { userId: agent.userId })).status).toBe(201);
  expect((await followersOf(id)).toSorted()).toEqual([agent.userId, viewer.userId].toSorted());
  const first = await owner.call('GET', `${url}?limit=1`);
  expect([first.body.length, first.headers.get('link')]).toEqual([1, expect.stringContaining('rel="next"')]);
  expect((await viewer.call('DELETE', `${url}/${viewer.userId}`)).status).toBe(204);
  expect(await viewer.call('DELETE', `${url}/${viewer.userId}`)).toMatchObject({
    status: 404,
    body: { key: 'follower.not_found' },
  });
  expect(await followersOf(id)).toEqual([agent.userId]);
  expect(await owner.call('GET', `/tickets/${id}`)).toMatchObject({ body: { version: 1 } });
});

test('only members who may change tickets may manage others, and only members can follow', async () => {
  const { id } = await make();
  const url = `/tickets/${id}/followers`;
  await owner.call('POST', url);
  const refused = { status: 403, body: { key: 'auth.role_insufficient' } };
  expect(await viewer.call('POST', url, { userId: agent.userId })).toMatchObject(refused);
  expect(await viewer.call('DELETE', `${url}/${owner.userId}`)).toMatchObject(refused);
  const noMember = { status: 400, body: { params: { issues: [{ path: 'body.userId' }] } } };
  for (const userId of [stranger.userId, newId()])
    expect(await owner.call('POST', url, { userId })).toMatchObject(noMember);
  for (const [method, path] of [
    ['POST', url],
    ['GET', url],
    ['DELETE', `${url}/${owner.userId}`],
  ] as const)
    expect((await stranger.call(method, path)).body.key).toBe('ticket.not_found');
});

test('a customer’s reply notifies the assignee and followers once each, a machine’s mail nobody', async () => {
  const { ticketId, answer } = await correspond();
  await owner.call('PATCH', `/tickets/${ticketId}`, { assigneeId: agent.userId });
  for (const person of [agent, viewer]) await person.call('POST', `/tickets/${ticketId}/followers`);
  await answer({ 'Auto-Submitted': 'auto-replied' });
  await answer();
  expect((await toldOf(agent, ticketId)).map(({ type }) => type)).toEqual(['reply', 'assignment']);
  expect((await toldOf(viewer, ticketId)).map(({ type }) => type)).toEqual(['reply']);
  expect(await toldOf(owner, ticketId)).toEqual([]);
});

test('mentioned people follow, and the response names those whom the mention did not reach', async () => {
  const { ticketId, answer } = await correspond();
  const gone = await makeMember(house, owner.workspaceId, 'agent');
  await owner.call('DELETE', `/members/${gone.userId}`);
  const at = ({ userId }: Pick<Person, 'userId'>) => `@[x](user:${userId})`;
  const nobody = { userId: newId<UserId>() };
  const mentions = [viewer, stranger, gone, nobody, owner].map(at).join(' ');
  const body = `${mentions}\n> ${at(agent)}\n\`${at(viewer)}\``;
  const note = await owner.call('POST', `/tickets/${ticketId}/messages`, { body, isInternal: true });
  expect(note.body.ignoredMentions).toEqual([stranger.userId, gone.userId, nobody.userId, agent.userId]);
  expect(await followersOf(ticketId)).toEqual(expect.arrayContaining([viewer.userId]));
  await answer();
  expect((await toldOf(viewer, ticketId)).map(({ type, messageId }) => [type, messageId === note.body.id])).toEqual([
    ['reply', false],
    ['mention', true],
  ]);
  expect(await toldOf(agent, ticketId)).toEqual([]);
  const plain = await owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'Thanks.' });
  expect(plain.body).not.toHaveProperty('ignoredMentions');
});

test('closing a ticket withdraws no notification', async () => {
  const { id } = await make({ assigneeId: agent.userId });
  await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
  expect(await toldOf(agent, id)).toMatchObject([{ type: 'assignment', count: 1, readAt: null }]);
});

test('followers come along with a merge and a split, and stay after an unmerge', async () => {
  const { ticketId, answer } = await correspond();
  const target = await make();
  await viewer.call('POST', `/tickets/${ticketId}/followers`);
  await agent.call('POST', `/tickets/${target.id}/followers`);
  await owner.call('POST', `/tickets/${ticketId}/merge`, { targetTicketId: target.id });
  expect((await followersOf(target.id)).toSorted()).toEqual([agent.userId, viewer.userId].toSorted());
  expect((await viewer.call('POST', `/tickets/${ticketId}/followers`)).body.key).toBe('ticket.merged');
  await answer();
  expect((await toldOf(viewer, target.id)).map(({ type }) => type)).toEqual(['reply']);
  const { messages } = (await owner.call('GET', `/tickets/${target.id}`)).body;
  const split = await owner.call('POST', `/tickets/${target.id}/split`, { messageIds: [messages.at(-1).id] });
  expect((await followersOf(split.body.ticket.id)).toSorted()).toEqual([agent.userId, viewer.userId].toSorted());
  await owner.call('POST', `/tickets/${ticketId}/unmerge`);
  expect(await followersOf(ticketId)).toEqual([viewer.userId]);
  expect(await followersOf(target.id)).toHaveLength(2);
});

test('a former member follows nothing in the workspace', async () => {
  const { id } = await make();
  const leaver = await makeMember(house, owner.workspaceId, 'agent');
  await leaver.call('POST', `/tickets/${id}/followers`);
  expect(await followersOf(id)).toEqual([leaver.userId]);
  await leaver.call('DELETE', `/members/${leaver.userId}`);
  expect(await followersOf(id)).toEqual([]);
});
