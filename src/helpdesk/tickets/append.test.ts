import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ann Agent');
});

async function make(input: object = {}): Promise<any> {
  const answer = await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It does not print.', ...input });
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('append', () => {
  test('a note is internal and not mailed, whatever sendEmail says', async () => {
    const ticket = await make({ requester: { email: 'c@example.org' } });
    const answer = await owner.call('POST', `/tickets/${ticket.id}/messages`, {
      body: 'note',
      isInternal: true,
      sendEmail: true,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('etag')).toBe('"2"');
    expect(answer.body).toMatchObject({ direction: 'internal', isInternal: true, delivery: null, to: [] });
  });

  test('HTML is sanitised on write, and empty HTML counts as absent', async () => {
    const ticket = await make();
    const path = `/tickets/${ticket.id}/messages`;
    const { body } = await owner.call('POST', path, {
      body: 'x',
      bodyHtml: '<p onclick="a()">hi<script>alert(1)</script></p>',
    });
    expect(body.bodyHtml).toContain('<p>hi');
    expect(body.bodyHtml).not.toMatch(/script|onclick/);
    expect((await owner.call('POST', path, { body: 'x', bodyHtml: '' })).body.bodyHtml).toBeNull();
  });

  test('a mailed answer defaults to the requester, and is refused without any recipient', async () => {
    const ticket = await make({ requester: { email: 'c@example.org' } });
    const queued = await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'x', sendEmail: true });
    expect(queued.body).toMatchObject({
      to: ['c@example.org'],
      delivery: { status: 'queued', attempts: 0, sentAt: null },
    });
    const nobody = await make();
    const refused = await owner.call('POST', `/tickets/${nobody.id}/messages`, { body: 'x', sendEmail: true });
    expect(refused.body.params.issues[0].path).toBe('body.toAddresses');
    expect((await owner.call('GET', `/tickets/${nobody.id}`)).body.messageCount).toBe(1);
  });

  test('HTML that is empty once sanitised becomes null, and 100 recipients are the limit', async () => {
    const ticket = await make();
    const path = `/tickets/${ticket.id}/messages`;
    expect((await owner.call('POST', path, { body: 'x', bodyHtml: '<script>1</script>' })).body.bodyHtml).toBeNull();
    const some = (count: number) => Array.from({ length: count }, (_, index) => `c${index}@example.org`);
    const answer = await owner.call('POST', path, {
      body: 'x',
      sendEmail: true,
      toAddresses: some(60),
      ccAddresses: some(41),
    });
    expect(answer.body.params?.issues?.[0]?.path).toBe('body.ccAddresses');
  });

  test('a mention notifies a member once, and strangers never', async () => {
    const ticket = await make();
    const stranger = await makeOwner(house, 'Stranger');
    const mention = `@[Ann](user:${agent.userId})`;
    const before = (await agent.call('GET', '/notifications/unread-count')).body.count;
    await owner.call('POST', `/tickets/${ticket.id}/messages`, {
      body: `${mention} ${mention} @[S](user:${stranger.userId}) @[Me](user:${owner.userId})`,
      isInternal: true,
    });
    expect((await agent.call('GET', '/notifications/unread-count')).body.count).toBe(before + 1);
    const { items } = (await agent.call('GET', '/notifications')).body;
    expect(items[0]).toMatchObject({ type: 'mention', referenceId: ticket.id, actorId: owner.userId });
    expect((await stranger.call('GET', '/notifications')).body.items).toEqual([]);
    const read = await agent.call('PATCH', `/notifications/${items[0].id}/read`);
    expect(read.body.readAt).not.toBeNull();
    expect((await agent.call('PATCH', `/notifications/${items[0].id}/read`, {})).body.readAt).toBe(read.body.readAt);
    expect((await owner.call('PATCH', `/notifications/${items[0].id}/read`)).status).toBe(404);
  });

  test('a mention in the HTML of a note notifies only members', async () => {
    const ticket = await make();
    const stranger = await makeOwner(house, 'Stranger');
    const span = (userId: string) => `<span class="mention" data-user="${userId}">@x</span>`;
    const before = (await agent.call('GET', '/notifications/unread-count')).body.count;
    const { body } = await owner.call('POST', `/tickets/${ticket.id}/messages`, {
      body: 'See here',
      bodyHtml: `<p>${span(agent.userId)} ${span(stranger.userId)}</p>`,
      isInternal: true,
    });
    expect(body).toMatchObject({ ignoredMentions: [stranger.userId] });
    expect(body.bodyHtml).toContain(`data-user="${agent.userId}"`);
    expect((await agent.call('GET', '/notifications/unread-count')).body.count).toBe(before + 1);
    expect((await stranger.call('GET', '/notifications')).body.items).toEqual([]);
  });

  test('an attachment of another ticket is refused and nothing is written', async () => {
    const ticket = await make();
    const answer = await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'x', attachmentIds: [newId()] });
    expect(answer.status).toBe(400);
    expect((await owner.call('GET', `/tickets/${ticket.id}`)).body).toMatchObject({ messageCount: 1, version: 1 });
  });

  test('50 concurrent messages are all stored and counted', async () => {
    const ticket = await make();
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => owner.call('POST', `/tickets/${ticket.id}/messages`, { body: `${i}` })),
    );
    const { body } = await owner.call('GET', `/tickets/${ticket.id}`);
    expect(body.messages).toHaveLength(51);
    expect(body).toMatchObject({ messageCount: 51, version: 51 });
    const times = body.messages.map((message: any) => message.createdAt);
    expect(times.toSorted()).toEqual(times);
    expect(body.lastMessageAt).toBe(times.at(-1));
  });
});
