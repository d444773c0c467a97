import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house, 'Olga Owner');
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ben Agent');
});

const ann = { email: 'ann@example.org', name: 'Ann Smith' };
const nameless = { email: 'nameless@example.org' };
const save = async (reply: object): Promise<any> =>
  (await agent.call('POST', '/saved-replies', { name: 'Reply', isShared: true, body: '', ...reply })).body;
const make = async (ticket: object = {}): Promise<any> =>
  (await owner.call('POST', '/tickets', { subject: 'Broken', body: 'b', requester: ann, ...ticket })).body;
const read = async (id: string): Promise<any> => (await owner.call('GET', `/tickets/${id}`)).body;
const keyOf = ({ status, body }: { status: number; body: any }) => [status, body.key, body.params?.variables];

test('every variable has its value in an existing ticket', async () => {
  const reply = await save({
    subject: 'About {{ ticket.subject }}',
    body:
      '{{contact.firstName}}|{{contact.name}}|{{contact.email}}|{{ticket.number}}|{{ticket.subject}}|{{ticket.url}}|' +
      '{{agent.name}}|{{agent.firstName}}|{{agent.email}}|{{mailbox.name}}|{{workspace.name}}|{{contact.name}}',
  });
  const ticket = await make();
  const { body } = await agent.call('POST', `/saved-replies/${reply.id}/render`, { ticketId: ticket.id });
  const { name: workspace } = (await owner.call('GET', '')).body;
  expect(body).toMatchObject({ subject: 'About Broken', missing: [], attachments: [] });
  expect(body.body.split('|')).toEqual([
    ...['Ann', 'Ann Smith', 'ann@example.org', `${ticket.ticketNumber}`, 'Broken'],
    expect.stringMatching(new RegExp(`^http.*/t/${ticket.ticketNumber}$`)),
    ...['Ben Agent', 'Ben', agent.email, expect.any(String), workspace, 'Ann Smith'],
  ]);
  expect(body.bodyHtml).toBeNull();
  const foreign = await makeOwner(house);
  const foreignTicket = (await foreign.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
  const refused = await agent.call('POST', `/saved-replies/${reply.id}/render`, { ticketId: foreignTicket.id });
  expect(keyOf(refused)).toEqual([404, 'ticket.not_found', undefined]);
});

test('the day is that of the agent’s time zone and language', async () => {
  const reply = await save({ body: '{{ today }}' });
  const render = async () => (await agent.call('POST', `/saved-replies/${reply.id}/render`, {})).body.body;
  const dayIn = (locale: string, timeZone: string) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(house.clock.now());
  expect(await render()).toBe(dayIn('en-GB', 'UTC'));
  // 26 hours apart: never the same day.
  const [first, second] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
  for (const timeZone of [first, second]) {
    await agent.call('PATCH', '/v1/me/preferences', { timeZone, locale: 'de' });
    expect(await render()).toBe(dayIn('de', timeZone));
  }
});

test('a reply alone is a whole answer: text, status, tags and assignee in one commit, once', async () => {
  const reply = await save({
    body: 'Hello {{ contact.firstName }}',
    actions: { status: 'pending', addTags: ['refund'], assignee: 'me', priority: 'high', follow: true },
  });
  const ticket = await make();
  const send = () =>
    agent.call(
      'POST',
      `/tickets/${ticket.id}/messages`,
      { savedReplyId: reply.id, runActions: true, sendEmail: true },
      { 'idempotency-key': 'once' },
    );
  const first = await send();
  expect(first).toMatchObject({ status: 201, body: { body: 'Hello Ann', to: ['ann@example.org'] } });
  expect((await send()).body).toEqual(first.body);
  const after = await read(ticket.id);
  expect(after).toMatchObject({ status: 'pending', tags: ['refund'], assigneeId: agent.userId, priority: 'high' });
  expect(after.messages).toHaveLength(2);
  expect(first.headers.get('etag')).toBe(`"${after.version}"`);
  const followers = (await owner.call('GET', `/tickets/${ticket.id}/followers`)).body;
  expect(JSON.stringify(followers)).toContain(agent.userId);
});

test('without runActions nothing else changes, and the author’s own status takes precedence', async () => {
  const reply = await save({ body: 'Hi', actions: { status: 'closed', addTags: ['x'] } });
  const [one, other] = [await make(), await make()];
  await agent.call('POST', `/tickets/${one.id}/messages`, { savedReplyId: reply.id });
  expect(await read(one.id)).toMatchObject({ status: 'open', tags: [] });
  const message = { savedReplyId: reply.id, runActions: true, thenStatus: 'pending' };
  await agent.call('POST', `/tickets/${other.id}/messages`, message);
  expect(await read(other.id)).toMatchObject({ status: 'pending', tags: ['x'] });
});

test('a missing variable is named, and nothing is sent, stored or changed', async () => {
  const reply = await save({ body: 'Hi {{ contact.firstName }}', actions: { status: 'closed' } });
  const ticket = await make({ requester: nameless });
  const rendered = (await agent.call('POST', `/saved-replies/${reply.id}/render`, { ticketId: ticket.id })).body;
  expect(rendered).toMatchObject({
    body: 'Hi {{ contact.firstName }}',
    missing: [{ variable: 'contact.firstName', reason: 'no_name' }],
  });
  for (const text of [{}, { body: rendered.body }, { bodyHtml: `<b>${rendered.body}</b>` }]) {
    const message = { savedReplyId: reply.id, runActions: true, sendEmail: true, ...text };
    const answer = await agent.call('POST', `/tickets/${ticket.id}/messages`, message);
    expect(keyOf(answer)).toEqual([409, 'saved_reply.variable_missing', ['contact.firstName']]);
  }
  expect(await read(ticket.id)).toMatchObject({ status: 'open', messageCount: 1 });
  const mended = { savedReplyId: reply.id, body: 'Hi you' };
  expect((await agent.call('POST', `/tickets/${ticket.id}/messages`, mended)).body.body).toBe('Hi you');
});

test('variables that the author leaves in the text get their values; mentions stay', async () => {
  const reply = await save({ body: 'x' });
  const ticket = await make();
  const bodyHtml = `<p>{{ contact.name }} <span class="mention" data-user="${owner.userId}">@Olga</span></p>`;
  const message = { savedReplyId: reply.id, isInternal: true, bodyHtml };
  const answer = await agent.call('POST', `/tickets/${ticket.id}/messages`, message);
  expect(answer.body.bodyHtml).toBe(`<p>Ann Smith <span class="mention" data-user="${owner.userId}">@Olga</span></p>`);
});

test('an author leaves at most 200 variables in a text', async () => {
  const [reply, ticket] = [await save({ body: 'x' }), await make()];
  const texts = {
    body: '{{ agent.name }}'.repeat(201),
    bodyHtml: '<a href="https://{{agent.name}}/">a</a>'.repeat(201),
  };
  for (const [path, text] of Object.entries(texts)) {
    const message = { savedReplyId: reply.id, isInternal: true, [path]: text };
    const { status, body } = await agent.call('POST', `/tickets/${ticket.id}/messages`, message);
    expect([status, body.params]).toMatchObject([
      400,
      { issues: [{ path: `body.${path}`, key: 'too_many_variables' }] },
    ]);
  }
});

test('HTML of an author gives the text, with values, and mentions nobody in a customer’s name', async () => {
  const reply = await save({ body: 'x' });
  const mention = `<span class="mention" data-user="${owner.userId}">@Olga</span>`;
  const bodyHtml = `<p onclick="x()">{{ contact.name }} &amp; ${mention}</p>`;
  const ticket = await make();
  const message = { savedReplyId: reply.id, isInternal: true, bodyHtml };
  const { body } = await agent.call('POST', `/tickets/${ticket.id}/messages`, message);
  expect(body).toMatchObject({ body: 'Ann Smith & @Olga', bodyHtml: `<p>Ann Smith &amp; ${mention}</p>` });
  const created = { subject: 's', requester: ann, savedReplyId: reply.id, bodyHtml };
  const [first] = (await read((await agent.call('POST', '/tickets', created)).body.id)).messages;
  expect(first).toMatchObject({ body: 'Ann Smith & @Olga', bodyHtml: '<p>Ann Smith &amp; @Olga</p>' });
});

test('a new ticket gets its number, and runs the actions', async () => {
  const reply = await save({
    body: 'Hello {{ contact.firstName | default: "there" }}, this is #{{ ticket.number }}',
    actions: { addTags: ['new'], status: 'pending' },
  });
  const requester = { email: 'new@example.org' };
  const rendered = (await agent.call('POST', `/saved-replies/${reply.id}/render`, { requester })).body;
  expect(rendered).toMatchObject({ body: 'Hello there, this is #{{ ticket.number }}', missing: [] });
  for (const text of [{}, { body: rendered.body }]) {
    const input = { subject: 's', requester, savedReplyId: reply.id, runActions: true, sendEmail: true, ...text };
    const { status, body: ticket } = await agent.call('POST', '/tickets', input);
    expect(status).toBe(201);
    const { messages, ...after } = await read(ticket.id);
    expect(after).toMatchObject({ tags: ['new'], status: 'pending', version: ticket.version });
    expect(messages.map(({ body }: any) => body)).toEqual([`Hello there, this is #${ticket.ticketNumber}`]);
  }
  const known = { subject: 's', requester: ann, savedReplyId: reply.id };
  const { body: ticket } = await agent.call('POST', '/tickets', known);
  expect((await read(ticket.id)).messages[0].body).toContain('Hello Ann,');
});

test('apply runs actions alone; a person who has left cannot be assigned', async () => {
  const leaving = await makeMember(house, owner.workspaceId, 'agent');
  const reply = await save({ actions: { assignee: leaving.userId, archive: true, snoozeHours: 2 } });
  const ticket = await make();
  const apply = (id: string) => agent.call('POST', `/tickets/${id}/apply`, { savedReplyId: reply.id });
  const { body: applied } = await apply(ticket.id);
  expect(applied).toMatchObject({ assigneeId: leaving.userId, archivedAt: expect.any(String), messageCount: 1 });
  const hours = (new Date(applied.snoozedUntil).getTime() - new Date(applied.updatedAt).getTime()) / 3_600_000;
  expect(hours).toBe(2);
  await owner.call('DELETE', `/members/${leaving.userId}`);
  const next = await make();
  const refused = await apply(next.id);
  expect(refused).toMatchObject({ status: 409, body: { key: 'saved_reply.actions_not_allowed' } });
  expect((await read(next.id)).version).toBe(next.version);
});

test('in bulk a missing variable fails its ticket alone, and a repeat sends nothing', async () => {
  const reply = await save({ body: 'Hi {{ contact.firstName }}', actions: { status: 'closed' } });
  const tickets = [await make(), await make({ requester: nameless }), await make({ requester: null })];
  const change = { ids: tickets.map(({ id }) => id), savedReplyId: reply.id, addTags: ['many'] };
  const send = (key: string) => agent.call('POST', '/tickets/bulk', change, { 'idempotency-key': key });
  const first = await send('bulk');
  expect(first.body.results.map(({ status, error }: any) => [status, error?.key])).toEqual([
    [200, undefined],
    [409, 'saved_reply.variable_missing'],
    [409, 'saved_reply.variable_missing'],
  ]);
  expect((await send('bulk')).body).toEqual(first.body);
  const [answered, ...others] = await Promise.all(tickets.map(({ id }) => read(id)));
  expect(answered).toMatchObject({ status: 'closed', tags: ['many'] });
  expect(answered.messages.map(({ body }: any) => body)).toEqual(['b', 'Hi Ann']);
  expect(answered.messages[1]).toMatchObject({ to: ['ann@example.org'], delivery: { status: 'queued' } });
  for (const other of others) expect(other).toMatchObject({ status: 'open', tags: [], messageCount: 1 });

  // The service died before it stored the answer: the repeat does only the rest of the work.
  await house.app.db.pool.query(`delete from idempotent_answers where key = 'bulk' and route not like '% %'`);
  expect((await send('bulk')).body.results[0].status).toBe(200);
  expect((await read(tickets[0].id)).messageCount).toBe(2);
  const gone = await agent.call('POST', '/tickets/bulk', { ...change, savedReplyId: tickets[0].id });
  expect(gone.status).toBe(404);
});

const everyAction = {
  status: 'closed',
  priority: 'high',
  assignee: 'me',
  addTags: ['refund'],
  removeTags: ['refund'],
  snoozeHours: 1,
  archive: true,
  follow: true,
};

test.each(Object.entries(everyAction))('%s of a ticket that is not there answers 404', async (name, value) => {
  const reply = await save({ actions: { [name]: value } });
  const withText = await save({ body: 'Hello', actions: { [name]: value } });
  const foreign = await makeOwner(house);
  const foreignTicket = (await foreign.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
  for (const id of [crypto.randomUUID(), foreignTicket.id]) {
    const ticket = `/tickets/${id}`;
    const answers = [
      await agent.call('POST', `${ticket}/apply`, { savedReplyId: reply.id }),
      await agent.call('POST', `${ticket}/messages`, { savedReplyId: withText.id, runActions: true }),
    ];
    for (const answer of answers) expect(keyOf(answer)).toEqual([404, 'ticket.not_found', undefined]);
  }
});

test('what refuses a ticket comes before what refuses the saved reply, and takes no number', async () => {
  const [missing, unused] = [crypto.randomUUID(), await save({ body: 'Hello' })];
  const [ticket, target] = [await make(), await make()];
  await owner.call('POST', `/tickets/${ticket.id}/merge`, { targetTicketId: target.id });
  for (const [id, refusal] of [
    [crypto.randomUUID(), [404, 'ticket.not_found']],
    [ticket.id, [409, 'ticket.merged']],
    [target.id, [404, 'saved_reply.not_found']],
  ] as const) {
    for (const path of ['apply', 'messages']) {
      const answer = await agent.call('POST', `/tickets/${id}/${path}`, { savedReplyId: missing });
      expect(keyOf(answer).slice(0, 2)).toEqual(refusal);
    }
  }
  const before = await make();
  const input = { subject: 's', sendEmail: true };
  const self = { ...input, toAddresses: ['kontor@kontor.localhost'], savedReplyId: missing };
  expect((await agent.call('POST', '/tickets', self)).body.params).toMatchObject({ issues: [{ key: 'no_recipient' }] });
  const lost = { ...input, toAddresses: [ann.email], savedReplyId: missing };
  expect(keyOf(await agent.call('POST', '/tickets', lost)).slice(0, 2)).toEqual([404, 'saved_reply.not_found']);
  const empty = { subject: 's', body: '', requester: ann };
  expect((await agent.call('POST', '/tickets', empty)).status).toBe(400);
  const leaving = await makeMember(house, owner.workspaceId, 'agent');
  const assigning = await save({ body: 'Hello', actions: { assignee: leaving.userId } });
  await owner.call('DELETE', `/members/${leaving.userId}`);
  const assigned = { ...input, toAddresses: [ann.email], savedReplyId: assigning.id, runActions: true };
  expect((await agent.call('POST', '/tickets', assigned)).body.key).toBe('saved_reply.actions_not_allowed');
  expect((await make()).ticketNumber).toBe(before.ticketNumber + 1);
  const uses = (await agent.call('GET', `/saved-replies/${unused.id}`)).body.useCount;
  expect(uses).toBe(0);
});
