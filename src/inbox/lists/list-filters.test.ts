import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { upload } from '../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let agent: Person;
/** Tickets 1 to 6, a minute apart. The odd tickets have customers. */
const made: any[] = [];
const minute = (number: number) => `2026-03-01T10:0${number}:00.000Z`;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
  for (let number = 1; number <= 6; number++) {
    const requester = number % 2 === 1 ? { email: `c${number}@example.org` } : null;
    const assigneeId = [null, owner.userId, agent.userId][number % 3];
    made.push((await owner.call('POST', '/tickets', { subject: 's', body: 'b', requester, assigneeId })).body);
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update tickets
        set created_at = ${minute(number)}, last_message_at = ${minute(number)},
          waiting_since = case when waiting_since is not null then ${minute(number)}::timestamptz end
        where workspace_id = ${owner.workspaceId} and ticket_number = ${number}`),
    );
  }
});

const list = (query: string, by = owner) => by.call('GET', `/tickets?${query}`);
const numbers = async (query: string, by = owner): Promise<number[]> =>
  (await list(query, by)).body.map((row: any) => row.ticketNumber);
const idOf = (number: number): string => made[number - 1].id;

test('ids select any of the named tickets', async () => {
  const unknown = newId();
  expect(await numbers(`ids=${idOf(2)}&ids=${idOf(5)}&ids=${unknown}`)).toEqual([5, 2]);
  expect((await list(`ids=${Array.from({ length: 101 }, newId).join('&ids=')}`)).status).toBe(400);
});

test('several assignees select any of them, `none` included', async () => {
  expect(await numbers('assignee=me')).toEqual([4, 1]);
  expect(await numbers(`assignee=me&assignee=${agent.userId}`)).toEqual([5, 4, 2, 1]);
  expect(await numbers('assignee=none&assignee=me', agent)).toEqual([6, 5, 3, 2]);
});

test('times limit a list from an instant on, and before one', async () => {
  expect(await numbers(`createdFrom=${minute(2)}&createdTo=${minute(4)}`)).toEqual([3, 2]);
  expect(await numbers(`lastMessageFrom=${minute(5)}`)).toEqual([6, 5]);
  expect(await numbers(`lastMessageTo=${minute(2)}`)).toEqual([1]);
  expect((await list('createdFrom=yesterday')).status).toBe(400);
});

test('waitingSince sorts the longest wait first and leaves out tickets that wait for nothing', async () => {
  expect(await numbers('sort=waitingSince&order=asc')).toEqual([1, 3, 5]);
  const page = await list('sort=waitingSince&limit=2');
  expect(page.body.map((row: any) => row.ticketNumber)).toEqual([5, 3]);
  const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  expect((await owner.call('GET', next)).body).toMatchObject([{ ticketNumber: 1 }]);
});

test('a mailbox selects the tickets that came through it', async () => {
  const { workspaceId } = owner;
  const box = { workspaceId, provider: 'mail-a', address: 'in@example.org', refreshToken: 'x' } as const;
  const { id: mailboxId } = await putMailbox(house, box);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update tickets set mailbox_id = ${mailboxId} where workspace_id = ${workspaceId} and ticket_number in (2, 3)`),
  );
  expect(await numbers(`mailbox=${mailboxId}`)).toEqual([3, 2]);
  expect(await numbers(`mailbox=${newId()}`)).toEqual([]);
});

test('hasAttachment selects tickets with or without files', async () => {
  const { body: file } = await upload(house, owner, idOf(6));
  await owner.call('POST', `/tickets/${idOf(6)}/messages`, { body: 'x', attachmentIds: [file.id] });
  expect(await numbers('hasAttachment=true')).toEqual([6]);
  expect(await numbers('hasAttachment=false&sort=createdAt')).toEqual([5, 4, 3, 2, 1]);
});

test('unread, following and mentioned refer to the caller', async () => {
  const body = `@[A](user:${agent.userId}) look`;
  await owner.call('POST', `/tickets/${idOf(4)}/messages`, { body, isInternal: true });
  await agent.call('POST', `/tickets/${idOf(2)}/followers`, { userId: agent.userId });
  const sorted = async (query: string, by = agent) => (await numbers(query, by)).sort();
  expect(await sorted('mentioned=true')).toEqual([4]);
  expect(await sorted('following=true')).toEqual([2, 4]);
  expect(await sorted('unread=true')).toEqual([1, 3, 4, 5]);
  expect(await sorted('unread=false')).toEqual([2, 6]);
  expect(await sorted('mentioned=true', owner)).toEqual([]);
  expect(await sorted('mentioned=false&unread=true')).toEqual([1, 3, 5]);
});

test('views store all of these filters', async () => {
  const query = {
    ids: [idOf(1), idOf(3)],
    assignee: ['me', 'none'],
    unread: true,
    hasAttachment: false,
    createdFrom: minute(1),
    sort: 'waitingSince',
    order: 'asc',
  };
  const view = (await agent.call('POST', '/views', { name: 'v', query })).body;
  expect(view.query).toEqual(query);
  const { views } = (await agent.call('GET', '/counts')).body;
  expect(views).toEqual([{ viewId: view.id, count: 1, isAtLeast: false }]);
  const former = (await agent.call('POST', '/views', { name: 'former', query: { assignee: 'me' } })).body;
  expect(former.query).toEqual({ assignee: 'me' });
});
