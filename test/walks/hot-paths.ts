import { sql } from '../../src/ground/database/sql.ts';
import { newId } from '../../src/ground/lib/ids.ts';
import type { House } from '../harness/harness.ts';
import { type Answer, call, makeMember, type Person } from '../worlds/factories.ts';
import { seeded } from '../worlds/seed-workspace.ts';

type Asked = Pick<House, 'url'>;

/** A frequent request. */
export type HotPath = {
  name: string;
  ask(at: Asked): Promise<Answer>;
  /** Why the request may touch more rows than a page and the count of its list. */
  readsMore?: string;
};

const sorts = ['sort=createdAt', 'sort=updatedAt&order=asc', 'sort=priority', 'sort=priority&order=asc'];
const wideFilters = ['', 'status=open', 'assignee=none', 'tags=common', ...sorts];
const filters = [
  ...wideFilters,
  'status=closed',
  'status=open&status=pending',
  'assignee=me',
  'status=open&assignee=me',
  'status=open&assignee=none',
  'priority=urgent',
  'unread=true',
  'following=true',
  'mentioned=true',
  'assignee=me&assignee=none',
  'lastMessageFrom=2025-01-03T00:00:00Z&lastMessageTo=2025-01-04T00:00:00Z',
  'sort=waitingSince',
  'sort=waitingSince&order=asc',
  'tags=tag77',
  'tags=common&tags=tag77',
  'delivery=failed',
  'archived=true',
  'archived=any',
  'snoozed=true',
  ...seeded.mailboxIds.map((id) => `status=open&mailbox=${id}`),
];
/** No single index covers these filters. */
const unindexedFilters = [
  'delivery=sent',
  'status=open&assignee=me&priority=high',
  'hasAttachment=true',
  'createdFrom=2025-01-03T00:00:00Z&createdTo=2025-01-03T12:00:00Z',
];
const unindexed = 'The most selective index is read until a page is full and the count is made.';

const searches = ['common', 'common seldom77', '"common word"', 'nowhere', 'common -seldom77', 'comm*'];
/** Words of few messages, and ids of a ticket. */
const rareSearches = ['rare77', '#1000077', 'm77@example.org'];
const spread =
  'The faster way depends on how words are spread and how messages lie on disk, which a small table cannot show: ' +
  '`npm run bench -- --size large` measures it.';

/** All frequent requests, on a seeded workspace. */
export async function hotPaths(house: House, owner: Person): Promise<HotPath[]> {
  return [
    ...(await lists(owner)),
    ...(await listsFromOutside(house, owner)),
    ...(await reads(owner)),
    ...(await writes(owner)),
    await refreshing(house, owner),
    await poking(house, owner),
  ];
}

function pathOf({ workspaceId, token }: Person, method: string, below: string, body?: () => unknown): HotPath {
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
  const path = below.startsWith('/v1') ? below : `/v1/workspaces/${workspaceId}${below}`;
  return { name: `${method} ${below}`, ask: (at) => call(at, method, path, body?.(), headers) };
}

/** A page of each list that an index serves, without the count. */
export const pagesOfLists = (owner: Person): HotPath[] =>
  filters.map((filter) => pathOf(owner, 'GET', `/tickets?${filter}&count=false`));

/** The second page of a list. */
async function nextPage(owner: Person, list: string): Promise<HotPath> {
  const { headers, body } = await owner.call('GET', list);
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return pathOf(owner, 'GET', next ?? `${list}&cursor=${encodeURIComponent(body.nextCursor)}`);
}

async function lists(owner: Person): Promise<HotPath[]> {
  const list = (query: string): HotPath => pathOf(owner, 'GET', `/tickets?${query}`);
  const search = (typed: string): HotPath => list(`search=${encodeURIComponent(typed)}`);
  const [contact] = (await owner.call('GET', '/contacts?search=c77')).body;
  const deep = wideFilters.map((filter) => nextPage(owner, `/tickets?${filter}&limit=1&offset=${seeded.deepOffset}`));
  const ranked = [
    ...searches.map(search),
    list('search=common&sort=createdAt'),
    await nextPage(owner, '/tickets?search=common&limit=100'),
    pathOf(owner, 'GET', '/contacts?search=customer'),
  ];
  return [
    ...filters.map(list),
    ...rareSearches.map(search),
    list('search=rare77&status=open&assignee=me'),
    list(`contact=${contact.id}`),
    ...(await Promise.all(deep)),
    ...unindexedFilters.map((filter) => ({ ...list(filter), readsMore: unindexed })),
    ...ranked.map((path) => ({ ...path, readsMore: spread })),
  ];
}

/** The lists of a member from whom a team hides its tickets. */
async function listsFromOutside(house: House, owner: Person): Promise<HotPath[]> {
  const outsider = await makeMember(house, owner.workspaceId, 'agent');
  const { body: team } = await owner.call('POST', '/teams', { name: 'People', visibility: 'members' });
  const open = ['', 'status=open', 'status=open&assignee=none', 'sort=createdAt', 'tags=tag77', `team=${team.id}`];
  return open.map((filter) => ({
    ...pathOf(outsider, 'GET', `/tickets?${filter}`),
    name: `GET /tickets?${filter} from outside`,
  }));
}

async function reads(owner: Person): Promise<HotPath[]> {
  const [contact] = (await owner.call('GET', '/contacts?search=c77')).body;
  const [longId, otherId] = await ticketIds(owner);
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'k', role: 'agent' });
  const below = [
    ...[`/tickets/${longId}?messages=30`, `/tickets/${longId}/messages?bodies=none`],
    ...[`/tickets/${longId}`, `/tickets/${otherId}`, `/tickets/${longId}/events`, `/contacts/${contact.id}`],
    ...['/notifications', '/notifications?unread=true', '/notifications/unread-count'],
    ...['/audit', '/audit?type=session.others_ended', `/audit?actor=${owner.userId}`],
    ...['/contacts?search=c77', '/members', '/views', '/v1/me'],
  ];
  const paged = [
    '/notifications?limit=50',
    '/notifications?unread=true&limit=50',
    '/contacts?limit=50',
    '/contacts?sort=name&limit=50',
    '/audit?limit=50',
  ];
  return [
    pathOf(owner, 'GET', '/counts'),
    pathOf(owner, 'GET', '/start'),
    ...below.map((path) => pathOf(owner, 'GET', path)),
    ...(await Promise.all(paged.map((list) => nextPage(owner, list)))),
    pathOf({ ...owner, token: key.secret }, 'GET', `/tickets/${otherId}`),
  ];
}

async function writes(owner: Person): Promise<HotPath[]> {
  const [longId, otherId] = await ticketIds(owner);
  const post = (below: string, body: () => unknown): HotPath => pathOf(owner, 'POST', below, body);
  const note = () => ({ body: 'A note', isInternal: true });
  const answer = () => ({ body: 'An answer', sendEmail: true });
  let turn = 0;
  return [
    post('/tickets', () => ({ subject: 'A new one', body: 'Text', requester: { email: 'c77@example.org' } })),
    post(`/tickets/${longId}/messages`, note),
    post(`/tickets/${otherId}/messages`, note),
    post(`/tickets/${otherId}/messages`, answer),
    post(`/tickets/${otherId}/status`, () => ({ toStatus: ['open', 'closed'][turn++ % 2] })),
    pathOf(owner, 'PATCH', `/tickets/${otherId}`, () => ({ tags: [`tag${turn++}`] })),
  ];
}

/** The ids of the long conversation and of a short conversation. */
async function ticketIds(owner: Person): Promise<[string, string]> {
  const idOf = async (ticketNumber: number): Promise<string> =>
    (await owner.call('GET', `/tickets?search=%23${ticketNumber}`)).body[0].id;
  return [await idOf(seeded.longTicketNumber), await idOf(seeded.longTicketNumber + 1)];
}

/** Each refresh returns the token for the next. */
async function refreshing(house: House, { email }: Person): Promise<HotPath> {
  const { body } = await call(house, 'POST', '/v1/auth/session', {
    provider: 'local',
    email,
    password: 'marker-of-ours',
  });
  let { refreshToken } = body;
  return {
    name: 'POST /v1/auth/refresh',
    ask: async (at) => {
      const answer = await call(at, 'POST', '/v1/auth/refresh', { refreshToken });
      refreshToken = answer.body.refreshToken;
      return answer;
    },
  };
}

async function poking(house: House, { workspaceId }: Person): Promise<HotPath> {
  const subscriptionId = newId();
  await house.app.db.tx(async (tx) => {
    const mailboxId = newId();
    await tx.run(sql`
      insert into mailboxes (workspace_id, id, provider, address, address_key, status, status_changed_at, connected_at,
        created_at, updated_at)
      values (
        ${workspaceId}, ${mailboxId}, 'mail-a', 'poked@example.org', 'poked@example.org', 'active', ${tx.now},
        ${tx.now}, ${tx.now}, ${tx.now})`);
    await tx.run(sql`
      insert into mailbox_routes (provider, route_key, workspace_id, mailbox_id)
      values ('mail-a', ${subscriptionId}, ${workspaceId}, ${mailboxId})`);
  });
  return {
    name: 'POST /v1/webhooks/mail-a',
    ask: (at) => call(at, 'POST', '/v1/webhooks/mail-a', { value: [{ subscriptionId, clientState: 'x' }] }),
  };
}
