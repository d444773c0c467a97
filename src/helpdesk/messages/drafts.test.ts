import { beforeAll, beforeEach, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { upload, uploadApart } from '../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

const house = useHouse();
let owner: Person;
let colleague: Person;
let ticketId: string;

beforeAll(async () => {
  owner = await makeOwner(house);
  colleague = await makeMember(house, owner.workspaceId, 'agent');
});
beforeEach(async () => {
  ticketId = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;
});

const put = (person: Person, text: object, kind = 'answer') =>
  person.call('PUT', `/tickets/${ticketId}/drafts/${kind}`, text);
const own = async (person: Person) => (await person.call('GET', `/drafts?ticketId=${ticketId}`)).body.items;
const sweep = async () => {
  await house.app.db.tx((tx) => tx.run(sql`update attachments set created_at = ${earlier(sql`created_at`, '2 days')}`));
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
};

test('a draft keeps all its parts, and only its member can read it', async () => {
  const messageId = (await owner.call('GET', `/tickets/${ticketId}`)).body.messages[0].id;
  const text = {
    body: 'Half a sent',
    bodyHtml: '<p>Half<script>x</script></p>',
    to: ['ann@'],
    cc: ['bob@example.org'],
    bcc: ['eve@example.org'],
    lastSeenMessageId: messageId,
    quote: 'thread',
    forwardOf: messageId,
  };
  const { status, body } = await put(owner, { ...text, version: 0 });
  expect([status, body]).toMatchObject([
    200,
    { ...text, bodyHtml: '<p>Half</p>', ticketId, kind: 'answer', version: 1 },
  ]);
  expect(body.ticket).toEqual({ ticketNumber: 1, subject: expect.any(String) });
  expect(await own(owner)).toEqual([body]);
  expect(await own(colleague)).toEqual([]);
  const { drafts } = (await colleague.call('GET', `/tickets/${ticketId}`)).body;
  expect(drafts).toEqual([{ id: body.id, userId: owner.userId, kind: 'answer', updatedAt: body.updatedAt }]);
  for (const other of [colleague, await makeOwner(house)]) {
    expect((await other.call('PUT', `/drafts/${body.id}`, { body: 'mine', version: 1 })).body.key).toBe(
      'draft.not_found',
    );
    expect((await other.call('DELETE', `/drafts/${body.id}`)).body.key).toBe('draft.not_found');
  }
  expect((await own(owner))[0].body).toBe('Half a sent');
});

test('a draft refuses messages of other workspaces', async () => {
  const stranger = await makeOwner(house);
  const foreign = (await stranger.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
  const { messages } = (await stranger.call('GET', `/tickets/${foreign.id}`)).body;
  for (const name of ['lastSeenMessageId', 'forwardOf']) {
    const { status, body } = await put(owner, { body: 'x', [name]: messages[0].id, version: 0 });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`body.${name}`)]);
  }
  expect(await own(owner)).toEqual([]);
});

test('a draft keeps the saved reply that its text comes from, until the reply is deleted', async () => {
  const reply = { name: 'Reply', body: 'x', actions: { archive: true } };
  const { id: savedReplyId } = (await owner.call('POST', '/saved-replies', reply)).body;
  const text = { body: 'x', savedReplyId, runActions: true };
  expect((await put(owner, { ...text, version: 0 }, 'note')).body).toMatchObject(text);
  expect((await put(colleague, { ...text, version: 0 }, 'note')).body.key).toBe('saved_reply.not_found');
  await owner.call('DELETE', `/saved-replies/${savedReplyId}`);
  expect(await own(owner)).toMatchObject([{ body: 'x', savedReplyId: null, runActions: false }]);
  await owner.call('DELETE', `/tickets/${ticketId}/drafts/note`);
});

test('each member has a separate answer and note on a ticket', async () => {
  await Promise.all([
    put(owner, { body: 'answer', version: 0 }),
    put(owner, { body: 'note', version: 0 }, 'note'),
    put(colleague, { body: 'theirs', version: 0 }),
  ]);
  expect((await own(owner)).map(({ body }: { body: string }) => body).sort()).toEqual(['answer', 'note']);
  expect((await own(colleague)).map(({ body }: { body: string }) => body)).toEqual(['theirs']);
});

test('of two tabs that write from one version, the second gets the text that the first saved', async () => {
  for (const version of [0, 1]) {
    const answers = await Promise.all(
      ['one', 'two'].map((body) => put(owner, { body: `${body} ${version}`, version })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const kept = answers.find(({ status }) => status === 200)?.body;
    const refused = answers.find(({ status }) => status === 409)?.body;
    expect(refused).toMatchObject({ key: 'draft.newer', params: { draft: { body: kept.body, version: version + 1 } } });
  }
});

test('saving the same text again, as after a lost answer, makes no new version', async () => {
  for (const version of [0, 0, 1]) expect((await put(owner, { body: 'x', version })).body.version).toBe(1);
});

test('sending deletes the draft, and a tab that is behind cannot restore it', async () => {
  const { id } = (await put(owner, { body: 'x', version: 0 })).body;
  const foreign = await colleague.call('POST', `/tickets/${ticketId}/messages`, { body: 'x', draftId: id });
  expect([foreign.body.key, (await own(owner)).length]).toEqual(['draft.not_found', 1]);
  const refused = await owner.call('POST', `/tickets/${ticketId}/messages`, {
    ...{ body: 'x', draftId: id, attachmentIds: [newId()] },
  });
  expect([refused.status, (await own(owner)).length]).toEqual([400, 1]);
  const send = () => owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'x', draftId: id });
  const sent = await Promise.all([send(), send()]);
  expect(sent.map(({ status }) => status).sort()).toEqual([201, 404]);
  expect(await own(owner)).toEqual([]);
  expect((await put(owner, { body: 'x and more', version: 1 })).body.key).toBe('draft.not_found');
});

test('a new ticket has a draft too, and creating the ticket deletes the draft', async () => {
  const { status, body } = await owner.call('POST', '/drafts', { subject: 'New', body: 'Hello' });
  const begun = { kind: 'ticket', ticketId: null, subject: 'New', startsAs: null, version: 1 };
  expect([status, body]).toMatchObject([201, begun]);
  const startsAs = { status: 'pending', assigneeId: colleague.userId, tags: ['rush', 'vip'] };
  const text = { subject: 'Newer', body: 'Hello', startsAs };
  for (const version of [1, 2, 2])
    expect((await owner.call('PUT', `/drafts/${body.id}`, { ...text, version })).body).toMatchObject({
      ...text,
      version: 2,
    });
  await owner.call('POST', '/tickets', { subject: 'Newer', body: 'Hello', draftId: body.id });
  expect((await owner.call('PUT', `/drafts/${body.id}`, { body: '', version: 2 })).status).toBe(404);
});

test('the files of a draft live as long as the draft, and then go with the message', async () => {
  const apart = (await uploadApart(house, owner, { name: 'apart.txt' })).body;
  const atTicket = (await upload(house, owner, ticketId, { name: 'there.txt' })).body;
  const attachmentIds = [atTicket.id, apart.id];
  const { body: draft } = await put(owner, { body: 'x', attachmentIds, version: 0 });
  expect(draft.attachments.map(({ fileName }: { fileName: string }) => fileName)).toEqual(['there.txt', 'apart.txt']);
  expect((await put(owner, { body: 'x', attachmentIds: [apart.id], version: 0 }, 'note')).status).toBe(400);
  expect((await put(colleague, { body: 'x', attachmentIds: [apart.id], version: 0 })).status).toBe(400);
  await sweep();
  await put(owner, { body: 'x', attachmentIds: [apart.id], version: 1 });
  await sweep();
  expect((await owner.call('GET', `/attachments/${atTicket.id}`)).status).toBe(404);
  const sent = { body: 'x', attachmentIds: [apart.id], draftId: draft.id };
  expect((await owner.call('POST', `/tickets/${ticketId}/messages`, sent)).body.attachments).toMatchObject([
    { id: apart.id },
  ]);
});

test('a discarded draft is gone, and cannot be discarded twice', async () => {
  await put(owner, { body: 'x', version: 0 });
  const path = `/tickets/${ticketId}/drafts/answer`;
  expect([(await owner.call('DELETE', path)).status, (await owner.call('DELETE', path)).status]).toEqual([204, 404]);
});

test('a draft that another tab has changed since is neither discarded nor sent', async () => {
  const answer = `/tickets/${ticketId}/drafts/answer`;
  const { id } = (await put(owner, { body: 'one', version: 0 })).body;
  await put(owner, { body: 'two', version: 1 });
  const send = (draftVersion: number) =>
    owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'one', draftId: id, draftVersion });
  const behind = [
    await owner.call('DELETE', `${answer}?version=1`),
    await owner.call('DELETE', `${answer}?version=0`),
    await owner.call('DELETE', `${answer}?version=2&draftId=${newId()}`),
    await owner.call('DELETE', `/drafts/${id}?version=1`),
    await send(1),
    await owner.call('POST', '/tickets', { subject: 's', body: 'one', draftId: id, draftVersion: 1 }),
  ];
  for (const { status, body } of behind)
    expect([status, body]).toMatchObject([409, { key: 'draft.newer', params: { draft: { id, body: 'two' } } }]);
  expect(await own(owner)).toMatchObject([{ id, version: 2 }]);
  expect((await send(2)).status).toBe(201);
  expect((await send(2)).body.key).toBe('draft.not_found');
});

test('a draft that was begun anew is another draft, although it has the same version', async () => {
  const answer = `/tickets/${ticketId}/drafts/answer`;
  const { id: draftId } = (await put(owner, { body: 'first', version: 0 })).body;
  expect((await owner.call('DELETE', `${answer}?version=1&draftId=${draftId}`)).status).toBe(204);
  const { id } = (await put(owner, { body: 'second', version: 0 })).body;
  for (const { body } of [
    await put(owner, { body: 'first, and more', version: 1, draftId }),
    await owner.call('DELETE', `${answer}?version=1&draftId=${draftId}`),
  ])
    expect(body).toMatchObject({ key: 'draft.newer', params: { draft: { id, body: 'second' } } });
  expect((await put(owner, { body: 'second, and more', version: 1, draftId: id })).body.version).toBe(2);
});

test('a save that comes late begins no draft again that was sent or discarded', async () => {
  const late = { body: 'late', version: 0, beginKey: 'k' };
  const { id: draftId } = (await put(owner, { ...late, body: 'sent' })).body;
  expect((await put(owner, late)).body).toMatchObject({ key: 'draft.newer', params: { draft: { id: draftId } } });
  expect((await owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'sent', draftId })).status).toBe(201);
  expect([await put(owner, late), await own(owner)]).toMatchObject([
    { status: 404, body: { key: 'draft.not_found' } },
    [],
  ]);
  const anew = { ...late, beginKey: 'another' };
  const answers = [await put(owner, anew), await put(owner, late, 'note'), await put(colleague, late)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('missing, foreign and merged tickets take no draft, and a viewer writes none', async () => {
  const stranger = await makeOwner(house);
  expect((await put(stranger, { version: 0 })).body.key).toBe('ticket.not_found');
  const viewer = await makeMember(house, owner.workspaceId, 'viewer');
  expect((await put(viewer, { version: 0 })).body.key).toBe('auth.role_insufficient');
  const targetTicketId = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;
  await put(owner, { body: 'kept', version: 0 });
  await owner.call('POST', `/tickets/${ticketId}/merge`, { targetTicketId });
  expect((await put(owner, { body: 'more', version: 1 })).body.key).toBe('ticket.merged');
  ticketId = targetTicketId;
  expect((await own(owner))[0].body).toBe('kept');
});

test('the drafts of a member who leaves are deleted', async () => {
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  await put(agent, { body: 'x', version: 0 });
  await owner.call('DELETE', `/members/${agent.userId}`);
  expect((await owner.call('GET', `/tickets/${ticketId}`)).body.drafts).toEqual([]);
});

test('the stream tells other tabs of each version, and colleagues only of beginning and end', async () => {
  const [ofOwner, ofColleague] = [await readEvents(house, owner), await readEvents(house, colleague)];
  await Promise.all([ofOwner, ofColleague].map((reader) => reader.until(() => reader.lastEventId() !== '')));
  await put(owner, { body: 'A secret thought', version: 0 });
  await put(owner, { body: 'A secret thought grows', version: 1 });
  await owner.call('DELETE', `/tickets/${ticketId}/drafts/answer`);
  const isOfDraft = ({ event, data }: { event: string; data: { ticketId: string } }) =>
    event === 'draft' && data.ticketId === ticketId;
  const told = async (reader: typeof ofOwner, count: number) =>
    (await reader.until((events) => events.filter(isOfDraft).length >= count)).filter(isOfDraft);
  const versions = (events: { data: { version: number } }[]) => events.map(({ data }) => data.version);
  expect(versions(await told(ofOwner, 3))).toEqual([1, 2, null]);
  expect(versions(await told(ofColleague, 2))).toEqual([1, null]);
  expect(ofColleague.text()).not.toContain('secret');
  expect((await told(ofColleague, 2))[0]).toMatchObject({ data: { ticketId, kind: 'answer', userId: owner.userId } });
  // Draft events are not stored, so they carry no id: an id would suggest that a stream can resume there.
  const blocks = ofColleague.text().split('\n\n');
  expect(blocks.filter((block) => block.includes('event: draft') && /^id: /m.test(block))).toEqual([]);
  for (const reader of [ofOwner, ofColleague]) reader.close();
});

test('a draft stays its writer’s when its ticket is hidden from them, and names no ticket', async () => {
  const outsider = await makeMember(house, owner.workspaceId, 'agent');
  const { body: draft } = await put(outsider, { body: 'My words', version: 0 });
  const team = { name: 'People', visibility: 'members', memberIds: [] };
  const { body: made } = await owner.call('POST', '/teams', team);
  await owner.call('PATCH', `/tickets/${ticketId}`, { teamId: made.id });
  const { items } = (await outsider.call('GET', '/drafts')).body;
  expect(items).toMatchObject([{ id: draft.id, body: 'My words', kind: 'answer', ticketId: null, ticket: null }]);
  expect(JSON.stringify(items)).not.toContain(ticketId);
  expect((await outsider.call('GET', '/counts')).body.lists.drafts.count).toBe(1);
  expect((await put(outsider, { body: 'More', version: 1 })).body.key).toBe('ticket.not_found');
  expect((await outsider.call('DELETE', `/drafts/${draft.id}?version=1`)).status).toBe(204);
  expect((await outsider.call('GET', '/drafts')).body.items).toEqual([]);
});
