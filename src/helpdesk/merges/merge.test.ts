import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { upload } from '../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, liveTicketsOf, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();

const make = async (person: Person, fields: object = {}) =>
  (await person.call('POST', '/tickets', { subject: 'Printer', body: 'It is on fire.', ...fields })).body;
const from = (name: string) => ({ requester: { email: `${name}@example.org`, name } });
const merge = (person: Person, source: { id: string }, target: { id: string }, headers = {}) =>
  person.call('POST', `/tickets/${source.id}/merge`, { targetTicketId: target.id }, headers);
const bodiesOf = async (person: Person, { id }: { id: string }) =>
  (await ticketOf(person, id)).messages.map(({ body }: any) => body.trim());
const eventsOf = async (person: Person, { id }: { id: string }) =>
  (await person.call('GET', `/tickets/${id}/events`)).body.items;
const numbersOf = (tickets: any[]) => tickets.map(({ ticketNumber }) => ticketNumber);

describe('a merge', () => {
  it('moves the messages in time order, keeps their times, and closes the source', async () => {
    const owner = await makeOwner(house);
    const target = await make(owner, { ...from('ann'), body: 'first', priority: 'high' });
    const source = await make(owner, { ...from('bea'), body: 'second' });
    await owner.call('POST', `/tickets/${target.id}/messages`, { body: 'third' });
    const before = (await ticketOf(owner, source.id)).messages[0];
    const { status, body, headers } = await merge(owner, source, target);
    expect(status).toBe(200);
    expect(body.movedMessages).toBe(1);
    const after = await ticketOf(owner, target.id);
    expect(after).toMatchObject(body.ticket);
    expect(after).toMatchObject({
      messageCount: 3,
      version: 3,
      priority: 'high',
      requester: { email: 'ann@example.org' },
      lastMessageAt: after.messages[2].createdAt,
    });
    expect(after.messages.map((message: any) => message.body)).toEqual(['first', 'second', 'third']);
    expect(after.messages[1]).toEqual({ ...before, ticketId: target.id });
    expect(await ticketOf(owner, source.id)).toMatchObject({
      status: 'closed',
      mergedIntoId: target.id,
      messageCount: 0,
      messages: [],
      version: 2,
    });
    expect(headers.get('etag')).toBe('"2"');
    expect(numbersOf((await owner.call('GET', '/tickets')).body)).toEqual([1]);
    expect(numbersOf((await owner.call('GET', '/tickets?status=closed')).body)).toEqual([2]);
  });

  it('is recorded on both tickets', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    await merge(owner, source, target);
    expect((await eventsOf(owner, source)).at(-1)).toMatchObject({
      type: 'ticket.merged',
      actor: { type: 'agent', userId: owner.userId },
      data: { intoTicketId: target.id, movedMessages: 1 },
      otherNumber: target.ticketNumber,
    });
    expect((await eventsOf(owner, target)).at(-1)).toMatchObject({
      type: 'ticket.merged_from',
      data: { fromTicketId: source.id, movedMessages: 1 },
      otherNumber: source.ticketNumber,
    });
  });

  it('unites the tags in the target’s spelling, even beyond fifty', async () => {
    const owner = await makeOwner(house);
    const many = (name: string) => Array.from({ length: 48 }, (_, at) => `${name}${at}`);
    const target = await make(owner, { tags: ['Billing', ...many('a')] });
    const source = await make(owner, { tags: ['billing', 'vip', ...many('b')] });
    const { body } = await merge(owner, source, target);
    expect(body.ticket.tags).toEqual(['Billing', ...many('a'), 'vip', ...many('b')]);
    expect(numbersOf((await owner.call('GET', '/tickets?tags=VIP&tags=BILLING')).body)).toEqual([1]);
  });

  it('brings files and people along, and search finds the target by them', async () => {
    const owner = await makeOwner(house);
    const target = await make(owner, from('ann'));
    const file = [
      '--b',
      'Content-Type: application/pdf; name="blueprint.pdf"',
      'Content-Disposition: attachment',
      '',
      'x',
      '--b--',
    ];
    await ingest(house, owner, [
      mailOf({
        headers: { From: 'Zoe <zoe@example.org>', 'Content-Type': 'multipart/mixed; boundary=b' },
        body: file.join('\r\n'),
      }),
    ]);
    const [source] = (await owner.call('GET', '/tickets?search=zoe')).body;
    await merge(owner, source, target);
    const { messages } = await ticketOf(owner, target.id);
    const [attachment] = messages.flatMap(({ attachments }: any) => attachments);
    expect(attachment.fileName).toBe('blueprint.pdf');
    expect((await owner.call('GET', `/attachments/${attachment.id}`)).body).toBe('x');
    for (const search of ['zoe', 'blueprint'])
      expect(numbersOf((await owner.call('GET', `/tickets?search=${search}`)).body)).toEqual([1]);
    expect((await owner.call('GET', '/tickets?search=blueprint&archived=any')).body).toHaveLength(1);
  });

  it('brings uploads along that no message has taken yet', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    const form = new FormData();
    form.append('file', new Blob(['x'], { type: 'text/plain' }), 'note.txt');
    const uploaded = await fetch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets/${source.id}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'x-workspace-id': owner.workspaceId },
      body: form,
    });
    const { id } = (await uploaded.json()) as { id: string };
    await merge(owner, source, target);
    const answer = await owner.call('POST', `/tickets/${target.id}/messages`, { body: 'See.', attachmentIds: [id] });
    expect(answer).toMatchObject({ status: 201, body: { attachments: [{ fileName: 'note.txt' }] } });
  });

  it('brings drafts along with their files, except where their writer has one in the target', async () => {
    const owner = await makeOwner(house);
    const ann = await makeMember(house, owner.workspaceId, 'agent');
    const [source, target] = [await make(owner), await make(owner)];
    const { body: file } = await upload(house, owner, source.id, { name: 'plan.txt' });
    const write = async (person: Person, { id }: { id: string }, text: object, kind = 'answer') =>
      (await person.call('PUT', `/tickets/${id}/drafts/${kind}`, { version: 0, ...text })).body;
    const theirs = await write(owner, source, { body: 'Of the source', attachmentIds: [file.id] });
    const [kept, own] = [await write(ann, source, { body: 'Stays' }), await write(ann, target, { body: 'Own' })];
    const note = await write(ann, source, { body: 'Goes along' }, 'note');
    await merge(owner, source, target);
    const draftsOf = async (person: Person, { id }: { id: string }) =>
      (await person.call('GET', `/drafts?ticketId=${id}`)).body.items.map(({ id, body, attachments }: any) => ({
        ...{ id, body },
        files: attachments.map(({ fileName }: any) => fileName),
      }));
    expect(await draftsOf(owner, target)).toEqual([{ id: theirs.id, body: 'Of the source', files: ['plan.txt'] }]);
    expect((await draftsOf(ann, target)).map(({ id }: any) => id).sort()).toEqual([own.id, note.id].sort());
    expect((await draftsOf(ann, source)).map(({ id }: any) => id)).toEqual([kept.id]);
    const sent = { body: 'Of the source', draftId: theirs.id, draftVersion: theirs.version, attachmentIds: [file.id] };
    const { status, body } = await owner.call('POST', `/tickets/${target.id}/messages`, sent);
    expect([status, body.attachments.length]).toEqual([201, 1]);
  });

  it('into a closed, archived target leaves the target closed and archived', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    await owner.call('POST', `/tickets/${target.id}/status`, { toStatus: 'closed' });
    await owner.call('POST', `/tickets/${target.id}/archive`);
    expect((await merge(owner, source, target)).body.ticket).toMatchObject({
      status: 'closed',
      archivedAt: expect.any(String),
    });
  });

  it('leaves the source readable and not writable', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    await merge(owner, source, target);
    const writes: [string, string, object][] = [
      ['PATCH', '', { priority: 'low' }],
      ['POST', '/status', { toStatus: 'open' }],
      ['POST', '/messages', { body: 'Late.' }],
      ['POST', '/archive', {}],
      ['POST', '/merge', { targetTicketId: target.id }],
      ['POST', '/split', { messageIds: [newId()] }],
    ];
    for (const [method, path, body] of writes) {
      expect(await owner.call(method, `/tickets/${source.id}${path}`, body)).toMatchObject({
        status: 409,
        body: { key: 'ticket.merged', params: { mergedIntoId: target.id } },
      });
    }
  });

  it('is refused into a merged ticket, into itself, and if a ticket is missing', async () => {
    const owner = await makeOwner(house);
    const stranger = await makeOwner(house);
    const [a, b, c] = [await make(owner), await make(owner), await make(owner)];
    const theirs = await make(stranger);
    await merge(owner, a, b);
    expect(await merge(owner, c, a)).toMatchObject({
      status: 409,
      body: { key: 'ticket.merged', params: { mergedIntoId: b.id } },
    });
    expect(await merge(owner, c, { id: c.id.toUpperCase() })).toMatchObject({
      status: 409,
      body: { key: 'ticket.merge_into_itself' },
    });
    for (const [source, target] of [
      [c, theirs],
      [theirs, c],
      [c, { id: newId() }],
    ])
      expect(await merge(owner, source, target)).toMatchObject({ status: 404, body: { key: 'ticket.not_found' } });
    const spam = await make(owner);
    await owner.call('POST', `/tickets/${spam.id}/spam`);
    const trashed = await make(owner);
    await owner.call('DELETE', `/tickets/${trashed.id}`);
    for (const one of [a, spam, trashed]) {
      expect((await merge(owner, c, one)).body.params).toMatchObject({ targetTicketId: one.id });
      expect((await merge(owner, one, c)).body.params).not.toHaveProperty('targetTicketId');
    }
    expect(await merge(owner, c, { id: 'x' })).toMatchObject({ status: 400, body: { key: 'request.invalid' } });
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    expect(await merge(viewer, c, b)).toMatchObject({ status: 403, body: { key: 'auth.role_insufficient' } });
  });

  it('checks the version of the source', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    await owner.call('PATCH', `/tickets/${source.id}`, { priority: 'high' });
    expect(await merge(owner, source, target, { 'if-match': '"1"' })).toMatchObject({
      status: 412,
      body: { key: 'ticket.version_mismatch', params: { currentVersion: 2 } },
    });
    expect(await merge(owner, source, source, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect((await merge(owner, source, target, { 'if-match': '"2"' })).status).toBe(200);
  });

  it('sent twice with one key happens once and is answered twice', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    const once = { 'idempotency-key': 'k' };
    const [first, second] = [await merge(owner, source, target, once), await merge(owner, source, target, once)];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('etag')).toBe('"2"');
    expect((await merge(owner, source, target)).status).toBe(409);
  });

  it('in opposite directions at once ends with one merge and one refusal', async () => {
    const owner = await makeOwner(house);
    for (let turn = 0; turn < 8; turn++) {
      const [a, b] = [await make(owner), await make(owner)];
      const answers = await Promise.all([merge(owner, a, b), merge(owner, b, a)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const tickets = [await ticketOf(owner, a.id), await ticketOf(owner, b.id)];
      expect(tickets.map(({ messageCount }) => messageCount).sort()).toEqual([0, 2]);
      expect(tickets.filter(({ mergedIntoId }) => mergedIntoId !== null)).toHaveLength(1);
    }
  });
});

describe('mail on the thread of a merged ticket', () => {
  it('joins the last survivor, even if it answers an id that mails only named', async () => {
    const owner = await makeOwner(house);
    await ingest(house, owner, [
      mailOf({ headers: { 'Message-ID': '<a@example.org>', References: '<root@example.org>' } }),
    ]);
    const [a] = await ticketsOf(owner);
    const [b, c] = [await make(owner), await make(owner)];
    await merge(owner, a, b);
    await merge(owner, b, c);
    await owner.call('POST', `/tickets/${c.id}/status`, { toStatus: 'closed' });
    await ingest(house, owner, [
      mailOf({ headers: { 'In-Reply-To': '<a@example.org>' }, body: 'to a' }),
      mailOf({ headers: { 'In-Reply-To': '<root@example.org>' }, body: 'to root' }),
    ]);
    expect(await bodiesOf(owner, c)).toEqual(expect.arrayContaining(['to a', 'to root']));
    expect(await ticketOf(owner, c.id)).toMatchObject({ messageCount: 5, status: 'open' });
    expect(await liveTicketsOf(owner)).toHaveLength(1);
    expect(await ticketOf(owner, a.id)).toMatchObject({ messageCount: 0, status: 'closed' });
  });

  it('is found at the survivor by its Message-ID and by the number of its first ticket', async () => {
    const owner = await makeOwner(house);
    await ingest(house, owner, [
      mailOf({ headers: { 'Message-ID': '<n@example.org>', References: '<named@example.org>' } }),
    ]);
    const [a] = await ticketsOf(owner);
    const [b, c] = [await make(owner), await make(owner)];
    await merge(owner, a, b);
    await merge(owner, b, c);
    for (const search of ['<n@example.org>', 'named@example.org', '#1', '1', '#2']) {
      const at = `/tickets?search=${encodeURIComponent(search)}`;
      expect(numbersOf((await owner.call('GET', at)).body)).toEqual([3]);
      expect(numbersOf((await owner.call('GET', `${at}&sort=createdAt`)).body)).toEqual([3]);
    }
    expect(numbersOf((await owner.call('GET', '/tickets?search=%231&archived=any')).body)).toContain(1);
  });
});

describe('an internal note', () => {
  it('stays out of the mail that answers after a merge', async () => {
    const owner = await makeOwner(house);
    await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<q@example.org>' } })]);
    const [target] = await ticketsOf(owner);
    const source = await make(owner, from('bea'));
    await owner.call('POST', `/tickets/${source.id}/messages`, { body: 'SECRET of the house', isInternal: true });
    await merge(owner, source, target);
    await owner.call('POST', `/tickets/${target.id}/messages`, {
      body: 'Solved.',
      sendEmail: true,
      toAddresses: ['ann@example.org'],
    });
    await house.drain();
    const [mail] = (await house.outbox()).filter((text) => text.includes('Solved.'));
    expect(mail).toContain('q@example.org');
    expect(mail).not.toContain('SECRET');
  });
});
