import { beforeAll, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

const house = useHouse();
let owner: Person;
let agent: Person;
let viewer: Person;

beforeAll(async () => {
  owner = await makeOwner(house, 'Olga Owner');
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ben Agent');
  viewer = await makeMember(house, owner.workspaceId, 'viewer');
});

async function save(person: Person, reply: object = {}): Promise<any> {
  const answer = await person.call('POST', '/saved-replies', { name: 'Hello', body: 'Hello', ...reply });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}
const namesOf = async (person: Person, query = ''): Promise<string[]> =>
  (await person.call('GET', `/saved-replies${query}`)).body.items.map(({ name }: any) => name);
const keyOf = ({ status, body }: { status: number; body: any }) => [status, body.key];

async function sweepAfterDays(): Promise<void> {
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`update attachments set created_at = ${earlier(sql`created_at`, '2 days')}`);
    await enqueue(tx, 'house.sweep', {});
  });
  await house.drain();
}

async function upload(person: Person, name = 'a.txt', text = 'text'): Promise<any> {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/plain' }), name);
  const response = await fetch(`${house.url}/v1/workspaces/${person.workspaceId}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, 'x-workspace-id': person.workspaceId },
    body: form,
  });
  expect(response.status).toBe(201);
  return response.json();
}

describe('keeping replies', () => {
  test('a reply keeps text, subject, shortcut, actions and sanitised HTML', async () => {
    const actions = { status: 'closed', reason: 'done', assignee: 'me', addTags: ['Refund'], snoozeHours: 24 };
    const reply = await save(agent, {
      ...{ name: '  Refund ', shortcut: 'rf', subject: 'Refund', body: '', actions },
      bodyHtml: '<p onclick="x()">Hello <b>{{ contact.name }}</b></p><script>x</script>',
    });
    expect(reply).toEqual({
      id: expect.any(String),
      ...{ name: 'Refund', shortcut: 'rf', subject: 'Refund', actions, isShared: false, createdBy: agent.userId },
      ...{ body: 'Hello {{ contact.name }}', bodyHtml: '<p>Hello <b>{{ contact.name }}</b></p>' },
      ...{ attachments: [], useCount: 0, version: 1 },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await agent.call('GET', `/saved-replies/${reply.id}`)).body).toEqual(reply);
    const changed = await agent.call('PATCH', `/saved-replies/${reply.id}`, { body: 'Plain', shortcut: null });
    expect(changed.body).toMatchObject({ body: 'Plain', bodyHtml: null, shortcut: null, actions, version: 2 });
    const same = await agent.call('PATCH', `/saved-replies/${reply.id}`, { body: 'Plain' });
    expect(same.body.version).toBe(2);
    const stale = await agent.call('PATCH', `/saved-replies/${reply.id}`, { name: 'n' }, { 'if-match': '"1"' });
    expect(keyOf(stale)).toEqual([412, 'saved_reply.version_mismatch']);
  });

  test('empty replies, unknown variables and foreign assignees are refused', async () => {
    const stranger = await makeOwner(house);
    const wrong: [object, string][] = [
      [{ body: ' ' }, 'body.body'],
      [{ body: '{{ contact.phone }}' }, 'body.body'],
      [{ body: 'Dear {{ requester.name }}' }, 'body.body'],
      [{ body: '{{ today }}'.repeat(201) }, 'body.body'],
      [{ subject: '{{ ticket.colour }}' }, 'body.subject'],
      [{ actions: { assignee: stranger.userId } }, 'body.actions.assignee'],
      [{ actions: { assignee: 'ann' } }, 'body.actions.assignee'],
      [{ actions: { reason: 'x' } }, 'body.actions.reason'],
      [{ actions: { snoozeHours: 0 } }, 'body.actions.snoozeHours'],
      [{ name: ' ' }, 'body.name'],
    ];
    for (const [reply, path] of wrong) {
      const { status, body } = await agent.call('POST', '/saved-replies', { name: 'n', body: 'b', ...reply });
      expect([status, body.params?.issues?.[0]?.path]).toEqual([400, path]);
    }
    expect(await save(agent, { name: 'Only actions', body: '', actions: { archive: true } })).toMatchObject({
      body: '',
      actions: { archive: true },
    });
  });

  test('a private reply is its owner’s alone; viewers keep none', async () => {
    const reply = await save(agent, { name: 'Private' });
    expect(await namesOf(owner)).not.toContain('Private');
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'n' }],
      ['DELETE', '', undefined],
      ['POST', '/render', {}],
    ] as const)
      expect(keyOf(await owner.call(method, `/saved-replies/${reply.id}${path}`, body))).toEqual([
        404,
        'saved_reply.not_found',
      ]);
    expect((await viewer.call('POST', '/saved-replies', { name: 'n', body: 'b' })).status).toBe(403);
  });

  test('agents change shared replies; the creator and admins delete them, with audit entries', async () => {
    const colleague = await makeMember(house, owner.workspaceId, 'agent');
    const reply = await save(agent, { name: 'Shared', isShared: true });
    expect(await namesOf(viewer)).toContain('Shared');
    expect((await colleague.call('PATCH', `/saved-replies/${reply.id}`, { body: 'New' })).body.body).toBe('New');
    const taken = await colleague.call('PATCH', `/saved-replies/${reply.id}`, { isShared: false });
    expect(keyOf(taken)).toEqual([403, 'auth.role_insufficient']);
    expect((await colleague.call('DELETE', `/saved-replies/${reply.id}`)).status).toBe(403);
    expect((await owner.call('DELETE', `/saved-replies/${reply.id}`)).status).toBe(204);
    const { items } = (await owner.call('GET', '/audit')).body;
    const entries = items.filter(({ type }: any) => type.startsWith('saved_reply.'));
    expect(entries.map(({ type, data }: any) => [type, data])).toEqual([
      ['saved_reply.deleted', { name: 'Shared' }],
      ['saved_reply.changed', { name: 'Shared', changed: ['body'] }],
      ['saved_reply.created', { name: 'Shared' }],
    ]);
  });

  test('a shortcut is used once among shared replies, and once by each person', async () => {
    await save(owner, { shortcut: 'ship', isShared: true });
    await save(owner, { shortcut: 'ship' });
    await save(agent, { shortcut: 'SHIP' });
    const again = await agent.call('POST', '/saved-replies', { name: 'n', body: 'b', shortcut: 'ship' });
    expect(keyOf(again)).toEqual([409, 'saved_reply.shortcut_taken']);
  });

  test('a person keeps at most 500 private replies, even by concurrent requests', async () => {
    const person = await makeOwner(house);
    await save(person);
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into saved_replies
        select workspace_id, gen_random_uuid(), owner_id, created_by, name, name_key, null, null, body, null, actions,
          search, 1, created_at, updated_at
        from saved_replies, generate_series(1, 498) where workspace_id = ${person.workspaceId}`),
    );
    const racing = await Promise.all(
      [1, 2, 3].map(() => person.call('POST', '/saved-replies', { name: 'n', body: 'b' })),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe('finding replies', () => {
  test('a search matches beginnings of words; an exact shortcut comes first; pages follow one another', async () => {
    const person = await makeOwner(house);
    await save(person, { name: 'Refund Übersicht', body: 'Your money' });
    await save(person, { name: 'Zebra', shortcut: 'ref' });
    await save(person, { name: 'Apple', body: 'About refunds' });
    expect(await namesOf(person)).toEqual(['Apple', 'Refund Übersicht', 'Zebra']);
    expect(await namesOf(person, '?search=ref')).toEqual(['Zebra', 'Apple', 'Refund Übersicht']);
    expect(await namesOf(person, '?search=uber+mon')).toEqual(['Refund Übersicht']);
    expect(await namesOf(person, '?search=money+zebra')).toEqual([]);
    for (const typed of ["'", '" & | ! ( ) : * \\', ':*', '%'])
      expect((await person.call('GET', `/saved-replies?search=${encodeURIComponent(typed)}`)).status).toBe(200);
    for (const query of ['', '&search=ref', '&sort=used']) {
      const seen: string[] = [];
      for (let cursor = '', pages = 0; pages < 3; pages++) {
        const { items, nextCursor } = (await person.call('GET', `/saved-replies?limit=1${query}${cursor}`)).body;
        seen.push(...items.map(({ name }: any) => name));
        cursor = `&cursor=${nextCursor}`;
      }
      expect(seen).toEqual(await namesOf(person, `?${query}`));
    }
    expect((await person.call('GET', '/saved-replies?cursor=x')).status).toBe(400);
  });

  test('the ones that a person uses most come first for that person', async () => {
    const person = await makeOwner(house);
    const colleague = await makeMember(house, person.workspaceId, 'agent');
    const replies: { id: string }[] = [];
    for (const name of ['A', 'B', 'C']) replies.push(await save(person, { name, isShared: true }));
    const ticket = (await person.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
    const use = (who: Person, at: number) =>
      who.call('POST', `/tickets/${ticket.id}/apply`, { savedReplyId: replies[at]?.id });
    for (const at of [2, 2, 1]) expect((await use(person, at)).status).toBe(200);
    await use(colleague, 1);
    expect(await namesOf(person, '?sort=used')).toEqual(['C', 'B', 'A']);
    expect(await namesOf(colleague, '?sort=used')).toEqual(['B', 'C', 'A']);
    const { items } = (await person.call('GET', '/saved-replies')).body;
    expect(items.map(({ useCount }: any) => useCount)).toEqual([0, 2, 2]);
    await house.app.db.tx((tx) => tx.run(sql`update saved_reply_uses set day = day - 40`));
    await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
    await house.drain();
    const { rows } = await house.app.db.pool.query('select from saved_reply_uses');
    expect(rows).toHaveLength(0);
  });
});

describe('files', () => {
  test('files stay with their reply, are copied into messages, and go with the reply', async () => {
    const file = await upload(agent);
    const picture = await upload(agent, 'b.txt', 'picture');
    const html = `<p>See</p><img src="cid:${picture.contentId}">`;
    const reply = await save(agent, {
      ...{ name: 'Files', isShared: true, body: '', bodyHtml: html },
      attachmentIds: [file.id, picture.id],
    });
    expect(reply.attachments.map(({ fileName }: any) => fileName)).toEqual(['a.txt', 'b.txt']);
    const ticket = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
    // Neither a message nor another reply takes the reply's own file.
    const stolen = await agent.call('POST', `/tickets/${ticket.id}/messages`, { body: 'b', attachmentIds: [file.id] });
    expect(stolen.status).toBe(400);
    const again = await agent.call('POST', '/saved-replies', { name: 'n', body: 'b', attachmentIds: [file.id] });
    expect(again.status).toBe(400);
    expect((await owner.call('GET', `/attachments/${file.id}`)).status).toBe(200);

    const note = { savedReplyId: reply.id, isInternal: true };
    const { attachments } = (await owner.call('POST', `/tickets/${ticket.id}/messages`, note)).body;
    expect(attachments.map(({ fileName, isInline }: any) => [fileName, isInline]).sort()).toEqual([
      ['a.txt', false],
      ['b.txt', true],
    ]);
    const copied = (await owner.call('POST', `/saved-replies/${reply.id}/render`, { copyFiles: true })).body;
    const attachmentIds = copied.attachments.map(({ id }: any) => id);
    expect(attachmentIds).toHaveLength(2);
    const sent = await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'b', attachmentIds });
    expect(sent.body.attachments).toHaveLength(2);

    await sweepAfterDays();
    expect((await agent.call('GET', `/attachments/${file.id}`)).status).toBe(200);
    const fewer = await agent.call('PATCH', `/saved-replies/${reply.id}`, { attachmentIds: [file.id] });
    expect(fewer.body.attachments).toHaveLength(1);
    await agent.call('DELETE', `/saved-replies/${reply.id}`);
    await sweepAfterDays();
    expect((await agent.call('GET', `/attachments/${file.id}`)).status).toBe(404);
    expect((await owner.call('GET', `/attachments/${attachments[0].id}`)).status).toBe(200);
  });
});
