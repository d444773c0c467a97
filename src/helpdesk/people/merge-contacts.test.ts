import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, liveTicketsOf, mailOf, ticketOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

async function make(email: string, name: string | null = null, person = owner): Promise<any> {
  const answer = await person.call('POST', '/tickets', {
    subject: `Of ${email}`,
    body: 'b',
    requester: { email, name },
  });
  expect(answer.status).toBe(201);
  return answer.body;
}
async function contactOf(email: string, person = owner): Promise<any> {
  const { body } = await person.call('GET', `/contacts?search=${encodeURIComponent(email)}`);
  return body.find(({ emails }: any) => emails.includes(email));
}
const read = async (id: string): Promise<any> => (await owner.call('GET', `/contacts/${id}`)).body;
const merge = (sourceId: string, targetContactId: string, person = owner) =>
  person.call('POST', `/contacts/${sourceId}/merge`, { targetContactId });
async function mergeByEmail(source: string, target: string): Promise<any> {
  const answer = await merge((await contactOf(source)).id, (await contactOf(target)).id);
  expect(answer.status).toBe(200);
  return answer.body;
}
const subjectsOf = ({ tickets }: any): string[] => tickets.map(({ subject }: any) => subject).sort();
/** Runs the jobs that are scheduled for later as well. */
async function drainLater(): Promise<void> {
  await house.app.db.tx((tx) => tx.run(sql`update graphile_worker._private_jobs set run_at = now()`));
  await house.drain();
}

describe('a contact', () => {
  test('is read with its tickets, newest activity first', async () => {
    const first = await make('ann@example.org', 'Ann');
    await make('bob@example.org');
    const second = await make('ann@example.org');
    await owner.call('POST', `/tickets/${first.id}/archive`);
    await owner.call('POST', `/tickets/${first.id}/messages`, { body: 'Later.' });
    // An import sorts by the Date header, which is long ago.
    const both = mailOf({ headers: { From: 'bob@example.org', Cc: 'ann@example.org', Subject: 'Both' } });
    await ingest(house, owner, [both], 'import');
    const ann = await contactOf('ann@example.org');
    const contact = await read(ann.id);
    expect(contact).toMatchObject({ ...ann, tickets: [{ id: first.id }, { id: second.id }, { subject: 'Both' }] });
    const listed = await owner.call('GET', `/tickets?contact=${ann.id.toUpperCase()}&limit=1`);
    expect(listed.headers.get('x-total-count')).toBe('2');
    expect(listed.body).toMatchObject([{ id: second.id }]);
    expect((await owner.call('GET', `/tickets?contact=${ann.id}&archived=any&search=both`)).body).toHaveLength(1);
    expect((await owner.call('GET', `/tickets?contact=${newId()}`)).body).toEqual([]);
    expect((await owner.call('GET', '/tickets?contact=ann')).status).toBe(400);
  });

  test('of another workspace is 404', async () => {
    await make('ann@example.org');
    const ann = await contactOf('ann@example.org');
    const stranger = await makeOwner(house);
    await make('eve@example.org', null, stranger);
    const eve = await contactOf('eve@example.org', stranger);
    const calls = [
      await stranger.call('GET', `/contacts/${ann.id}`),
      await stranger.call('PATCH', `/contacts/${ann.id}`, { name: 'Taken' }),
      await merge(ann.id, eve.id, stranger),
      await merge(eve.id, ann.id, stranger),
      await owner.call('GET', `/contacts/${newId()}`),
    ];
    for (const { status, body } of calls) expect([status, body.key]).toEqual([404, 'contact.not_found']);
    expect((await stranger.call('GET', `/tickets?contact=${ann.id}`)).body).toEqual([]);
  });
});

describe('merging contacts', () => {
  test('makes the source’s tickets, messages and addresses the target’s', async () => {
    const [ticket, other] = [await make('old@example.org', 'Old Ann'), await make('ann@example.org', 'Ann')];
    const answered = await mergeByEmail('old@example.org', 'ann@example.org');
    const ann = await contactOf('old@example.org');
    expect(answered).toEqual(ann);
    expect(ann).toMatchObject({
      email: 'ann@example.org',
      name: 'Ann',
      emails: ['ann@example.org', 'old@example.org'],
    });
    expect(subjectsOf(await read(ann.id))).toEqual(['Of ann@example.org', 'Of old@example.org']);
    const moved = await ticketOf(owner, ticket.id);
    expect(moved).toMatchObject({ requester: { email: 'ann@example.org', name: 'Ann' }, version: ticket.version });
    // The author of a message stays as it was then.
    expect(moved.messages[0].author).toMatchObject({ name: 'Old Ann', email: 'old@example.org' });
    expect((await owner.call('GET', '/tickets?search=ann@example.org')).body).toHaveLength(2);
    expect(await ticketOf(owner, other.id)).toMatchObject({ version: other.version });
    const left = await house.app.db.rows(sql`
      select p.contact_id from ticket_participants p
      join contacts c on c.workspace_id = ${owner.workspaceId} and c.id = p.contact_id
      where p.workspace_id = ${owner.workspaceId} and c.merged_into_id is not null
      union all
      select m.author_contact_id from messages m
      join contacts c on c.workspace_id = ${owner.workspaceId} and c.id = m.author_contact_id
      where m.workspace_id = ${owner.workspaceId} and c.merged_into_id is not null`);
    expect(left).toEqual([]);
  });

  test('lets search find its tickets by the source’s address and name', async () => {
    const requester = { email: 'ann@example.org', name: 'Ann' };
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Broken', body: 'b', requester });
    await make('bob@example.com', 'Bob');
    await mergeByEmail('ann@example.org', 'bob@example.com');
    await drainLater();
    for (const search of ['ann@example.org', 'Ann', 'bob@example.com'])
      expect((await owner.call('GET', `/tickets?search=${search}`)).body.map(({ id }: any) => id)).toContain(ticket.id);
  });

  test('leads mail from the source’s address to the target, as a known sender', async () => {
    await ingest(house, owner, [
      mailOf({ headers: { From: 'Ann <ann@example.org>', Subject: 'First', 'Message-ID': '<first@example.org>' } }),
      mailOf({ headers: { From: 'Old Ann <old@example.org>', Subject: 'Other' } }),
    ]);
    await mergeByEmail('old@example.org', 'ann@example.org');
    await ingest(house, owner, [
      mailOf({
        headers: { From: 'Old Ann <OLD@example.org>', Subject: 'Re: First', 'In-Reply-To': '<first@example.org>' },
      }),
      mailOf({ headers: { From: 'Annie <old@example.org>', Subject: 'New' } }),
    ]);
    const tickets = await liveTicketsOf(owner);
    const ann = await contactOf('ann@example.org');
    expect(tickets.map(({ subject, requester }) => [subject, requester])).toEqual(
      ['First', 'Other', 'New'].map((subject) => [
        subject,
        { contactId: ann.id, email: 'ann@example.org', name: 'Ann' },
      ]),
    );
    const first = await ticketOf(owner, tickets[0].id);
    expect(first.messages[1].author).toMatchObject({ email: 'OLD@example.org', name: 'Old Ann' });
    const { threading } = await house.app.db.one<{ threading: object }>(sql`
      select threading from messages where workspace_id = ${owner.workspaceId} and id = ${first.messages[1].id}`);
    expect(threading).toMatchObject({ matchedBy: 'in-reply-to', isSenderKnown: true });
    const { body } = await owner.call('GET', '/contacts?search=example.org');
    expect(body).toMatchObject([{ emails: ['ann@example.org', 'old@example.org'] }]);
  });

  test('makes the source’s address stand for the target when an agent names it', async () => {
    await make('old@example.org');
    const ticket = await make('ann@example.org', 'Ann');
    await mergeByEmail('old@example.org', 'ann@example.org');
    expect((await make('Old@example.org')).requester).toMatchObject({ email: 'ann@example.org', name: 'Ann' });
    const same = await owner.call('PATCH', `/tickets/${ticket.id}`, { requester: { email: 'old@example.org' } });
    expect(same.body.version).toBe(ticket.version);
    expect((await make('old@example.org', 'Anna')).requester).toMatchObject({ email: 'ann@example.org', name: 'Anna' });
    expect((await contactOf('ann@example.org')).name).toBe('Anna');
  });

  test('gives the target the source’s name if it has none', async () => {
    const ticket = await make('ann@example.org');
    await make('old@example.org', 'Zuzanna');
    expect(await mergeByEmail('old@example.org', 'ann@example.org')).toMatchObject({ name: 'Zuzanna' });
    expect((await owner.call('GET', '/tickets?search=zuzanna')).body).toContainEqual(
      expect.objectContaining({ id: ticket.id }),
    );
  });

  test('flattens: what was merged into the source leads to the last target', async () => {
    for (const email of ['a@example.org', 'b@example.org', 'c@example.org']) await make(email);
    const [a, b, c] = [
      await contactOf('a@example.org'),
      await contactOf('b@example.org'),
      await contactOf('c@example.org'),
    ];
    await merge(a.id, b.id);
    await merge(b.id, c.id);
    expect((await read(c.id)).emails).toEqual(['c@example.org', 'a@example.org', 'b@example.org']);
    for (const id of [a.id, b.id]) expect(await read(id)).toEqual(await read(c.id));
    expect((await read(c.id)).tickets).toHaveLength(3);
    expect((await owner.call('GET', `/tickets?contact=${a.id}`)).body).toHaveLength(3);
    const named = await owner.call('PATCH', `/contacts/${a.id}`, { name: 'All of them' });
    expect(named.body).toMatchObject({ id: c.id, name: 'All of them' });
    expect((await owner.call('GET', '/contacts')).body).toHaveLength(1);
  });

  test('into itself is refused, and so is a second merge', async () => {
    for (const email of ['a@example.org', 'b@example.org']) await make(email);
    const [a, b] = [await contactOf('a@example.org'), await contactOf('b@example.org')];
    const refusal = { status: 409, body: { key: 'contact.merge_into_itself' } };
    expect(await merge(a.id, a.id)).toMatchObject(refusal);
    expect((await merge(a.id, b.id)).status).toBe(200);
    expect(await merge(a.id, b.id)).toMatchObject(refusal);
    expect(await merge(b.id, a.id)).toMatchObject(refusal);
  });

  test('in opposite directions at once ends with one merge and one refusal', async () => {
    for (const email of ['a@example.org', 'b@example.org']) await make(email);
    const [a, b] = [await contactOf('a@example.org'), await contactOf('b@example.org')];
    const answers = await Promise.all([merge(a.id, b.id), merge(b.id, a.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await owner.call('GET', '/contacts')).body).toHaveLength(1);
  });

  test('while both write loses nothing, in any order', async () => {
    for (const email of ['a@example.org', 'b@example.org']) await make(email);
    const [a, b] = [await contactOf('a@example.org'), await contactOf('b@example.org')];
    await Promise.all([
      merge(a.id, b.id),
      ...Array.from({ length: 6 }, () => make('a@example.org', 'Named meanwhile')),
      ingest(house, owner, [mailOf({ headers: { From: 'a@example.org', Cc: 'b@example.org' } })]),
    ]);
    await drainLater();
    expect((await read(b.id)).tickets).toHaveLength(9);
    const requesters = (await liveTicketsOf(owner)).map(({ requester }) => requester.email);
    expect(new Set(requesters)).toEqual(new Set(['b@example.org']));
  });

  test('moves very many tickets by a job, and lists them all meanwhile', async () => {
    const ticket = await make('old@example.org', 'Old');
    await make('ann@example.org', 'Ann');
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, requester_id,
          channel, message_count, last_message_at, created_at, updated_at, version, search)
        select workspace_id, gen_random_uuid(), 1000 + n, subject, status, priority, priority_rank, requester_id,
          channel, 0, last_message_at, created_at, updated_at, 1, search
        from tickets, generate_series(1, 250) n
        where workspace_id = ${owner.workspaceId} and id = ${ticket.id}`),
    );
    const { id } = await mergeByEmail('old@example.org', 'ann@example.org');
    const count = async (query: string): Promise<string | null> =>
      (await owner.call('GET', `/tickets?limit=1&${query}`)).headers.get('x-total-count');
    expect(await count(`contact=${id}`)).toBe('252');
    await house.drain();
    expect(await count(`contact=${id}`)).toBe('252');
    expect(await count('search=ann@example.org&sort=createdAt')).toBe('252');
    const named = await owner.call('PATCH', `/contacts/${id}`, { name: 'Wilhelmina' });
    expect(named.status).toBe(200);
    await house.drain();
    expect(await count('search=wilhelmina&sort=createdAt')).toBe('252');
  });

  test('keeps what an unmerge of tickets takes back', async () => {
    const [source, target] = [await make('old@example.org'), await make('bob@example.org')];
    await make('ann@example.org');
    await owner.call('POST', `/tickets/${source.id}/merge`, { targetTicketId: target.id });
    const { id } = await mergeByEmail('old@example.org', 'ann@example.org');
    expect((await owner.call('GET', `/tickets?contact=${id}`)).body).toHaveLength(2);
    await owner.call('POST', `/tickets/${source.id}/unmerge`);
    const listed = await owner.call('GET', `/tickets?contact=${id}`);
    expect(listed.body.map((ticket: any) => ticket.id)).toContain(source.id);
    expect(listed.body.map((ticket: any) => ticket.id)).not.toContain(target.id);
  });
});

describe('naming a contact', () => {
  test('changes the name on its tickets, and search finds them by the new name', async () => {
    const ticket = await make('ann@example.org', 'Ann');
    const ann = await contactOf('ann@example.org');
    const answer = await owner.call('PATCH', `/contacts/${ann.id}`, { name: '  Zażółć  ' });
    expect(answer.body).toEqual({ ...ann, name: 'Zażółć' });
    expect((await ticketOf(owner, ticket.id)).requester.name).toBe('Zażółć');
    expect((await owner.call('GET', '/tickets?search=zazolc')).body).toHaveLength(1);
    expect((await owner.call('GET', '/contacts?search=zazolc')).body).toHaveLength(1);
    expect((await owner.call('PATCH', `/contacts/${ann.id}`, {})).body.name).toBe('Zażółć');
    expect((await owner.call('PATCH', `/contacts/${ann.id}`, { name: null })).body.name).toBeNull();
    expect((await owner.call('GET', '/contacts?search=zazolc')).body).toEqual([]);
  });

  test('as the requester of one ticket renames it on all of its tickets', async () => {
    const [one, other] = [await make('ann@example.org', 'Ann'), await make('ann@example.org')];
    await owner.call('PATCH', `/tickets/${one.id}`, { requester: { email: 'ann@example.org', name: 'Zuzanna' } });
    await house.drain();
    const found = (await owner.call('GET', '/tickets?search=zuzanna')).body;
    expect(found.map(({ id }: any) => id).sort()).toEqual([one.id, other.id].sort());
  });

  test('overrides an import, and is refused to viewers and for invalid names', async () => {
    const mail = (name: string) => mailOf({ headers: { From: `${name} <ann@example.org>` } });
    await ingest(house, owner, [mail('Aaa')], 'import');
    const ann = await contactOf('ann@example.org');
    await owner.call('PATCH', `/contacts/${ann.id}`, { name: 'Ann' });
    await ingest(house, owner, [mail('Aa')], 'import');
    expect((await read(ann.id)).name).toBe('Ann');
    for (const name of [' ', 'x'.repeat(201), 7, 'a\u0000'])
      expect((await owner.call('PATCH', `/contacts/${ann.id}`, { name })).status).toBe(400);
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    expect((await viewer.call('PATCH', `/contacts/${ann.id}`, { name: 'n' })).status).toBe(403);
    expect((await viewer.call('GET', `/contacts/${ann.id}`)).status).toBe(200);
  });
});
