import { expect } from 'vitest';
import { record } from '../../src/events/activity/record.ts';
import { automation } from '../../src/ground/catalog/doer.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { erasePerson } from '../../src/helpdesk/erasures/erase-person.ts';
import type { House } from '../harness/harness.ts';
import { uploadApart } from '../harness/uploads.ts';
import { deliveryDesk } from './delivery-desk.ts';
import { type Answer, givePassword, makeMember, makeOwner, type Person } from './factories.ts';
import { ingest, liveTicketsOf, mailOf } from './mails.ts';

/** A workspace with records of every kind, and its owner. */
export async function fillWorkspace(house: House): Promise<Person> {
  const owner = await makeOwner(house, 'Grüße & "Co" \\ 𝄞');
  const agent = await makeMember(house, owner.workspaceId, 'agent', 'Ada');
  const gone = await makeMember(house, owner.workspaceId, 'agent', 'Gone');
  await fillMail(house, owner);
  const desk = deliveryDesk(house, () => owner);
  for (const status of Object.keys(desk.ways)) await desk.inState(status);
  await steer(owner, agent, gone);
  await redactOne(owner);
  await eraseOne(house, owner);
  await fillTeams(owner, agent);
  await fillSettings(house, owner, agent);
  await done(owner.call('DELETE', `/members/${gone.userId}`));
  return owner;
}

async function redactOne(owner: Person): Promise<void> {
  const { id } = await done(owner.call('POST', '/tickets', { subject: 'A password', body: 'It is hunter2.' }));
  const { messages } = await done(owner.call('GET', `/tickets/${id}`));
  await done(owner.call('POST', `/tickets/${id}/messages/${messages[0].id}/redact`, { reason: 'a password' }));
}

/** Leaves the stub of a contact. */
async function eraseOne(house: House, owner: Person): Promise<void> {
  const email = 'zora@quellwasser.example';
  await givePassword(house, owner, 'correct horse battery');
  const { requester } = await done(
    owner.call('POST', '/tickets', { subject: 'To be erased', body: 'b', requester: { email } }),
  );
  const password = 'correct horse battery';
  const { id } = await done(owner.call('POST', `/contacts/${requester.contactId}/erasure`, { email, password }));
  const { db, config } = house.app;
  await erasePerson({ db, authSecret: config.authSecret }, { workspaceId: owner.workspaceId, id });
}

async function done(answer: Promise<Answer>): Promise<any> {
  const { status, body } = await answer;
  expect({ body, isDone: status < 300 }).toEqual({ body, isDone: true });
  return body;
}

const withFile = (id: string, headers: Record<string, string> = {}) =>
  mailOf({
    headers: {
      'Message-ID': `<${id}@example.org>`,
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/mixed; boundary="b"',
      ...headers,
    },
    body: [
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      `<p>Tab\tand <b>bold</b> ${id}</p><blockquote>old \\n text</blockquote>`,
      '--b',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename="plan.txt"',
      '',
      `The plan ${id}.`,
      '--b--',
    ].join('\r\n'),
  });

async function fillMail(house: House, owner: Person): Promise<void> {
  await ingest(house, owner, [
    withFile('one', { From: 'Ann <ann@example.org>', Cc: 'Carl <carl@example.org>' }),
    withFile('two', { From: 'Ben <ben@example.org>', Subject: 'Another', References: '<never-seen@example.org>' }),
    withFile('three', { From: 'Cleo <cleo@example.org>', Subject: 'A third' }),
    withFile('four', { From: 'Dan <dan@example.org>', Subject: 'A fourth' }),
  ]);
  await ingest(house, owner, [withFile('old', { From: 'Eve <eve@example.org>', Subject: 'Old' })], 'import');
  const reply = { 'In-Reply-To': '<one@example.org>', Subject: 'Re: The printer is on fire' };
  await ingest(house, owner, [withFile('one-more', { From: 'Ann <ann@example.org>', ...reply })]);
}

async function steer(owner: Person, agent: Person, gone: Person): Promise<void> {
  const tickets = await liveTicketsOf(owner);
  const ticket = (subject: string) => tickets.find((each) => each.subject === subject)?.id;
  const [first, second, third, fourth] = ['The printer is on fire', 'Another', 'A third', 'A fourth'].map(ticket);
  await done(
    owner.call('PATCH', '', {
      ownAddresses: ['info@shop.example'],
      whenAnswered: { assign: 'never', status: 'keep' },
    }),
  );
  await done(
    owner.call('PATCH', `/tickets/${first}`, { tags: ['Größe', 'vip'], assigneeId: agent.userId, priority: 'high' }),
  );
  await done(owner.call('POST', `/tickets/${first}/followers`, { userId: agent.userId }));
  await done(gone.call('POST', `/tickets/${first}/messages`, { body: 'A note', isInternal: true }));
  const snoozedUntil = '2099-01-01T00:00:00.000Z';
  await done(owner.call('PATCH', `/tickets/${ticket('Old')}`, { snoozedUntil, assigneeId: gone.userId }));
  await done(owner.call('POST', `/tickets/${second}/merge`, { targetTicketId: third }));
  await done(owner.call('POST', `/tickets/${third}/merge`, { targetTicketId: first }));
  await done(owner.call('POST', `/tickets/${fourth}/status`, { toStatus: 'closed', reason: 'done' }));
  await done(owner.call('POST', `/tickets/${fourth}/archive`));
  const trashed = tickets.find(({ channel, subject }) => channel === 'api' && subject === 'Printer')?.id;
  await done(owner.call('DELETE', `/tickets/${trashed}`));
}

/** A survey, and a customer's answer. */
async function fillSurveys(house: House, owner: Person): Promise<void> {
  const survey = { ask: 'in_answer', scale: 'five', language: 'de', question: 'How was it?', everyDays: 0 };
  const { id: surveyId } = await done(owner.call('POST', '/surveys', survey));
  const ticket = { subject: 'Asked', body: 'b', requester: { email: 'dora@example.org' } };
  const { id: ticketId } = await done(owner.call('POST', '/tickets', ticket));
  const message = await done(owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'Answered' }));
  const { workspaceId, userId } = owner;
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into survey_asks (workspace_id, id, message_id, survey_id, contact_id, user_id, scale, question, language,
        asked_at, expires_at, scanned_at, score, comment, answered_at, changed_at)
      select ${workspaceId}, ${tx.newId()}, ${message.id}, ${surveyId}, t.requester_id, ${userId}, 'five',
        'How was it?', 'de', ${tx.now}, ${tx.now}, ${tx.now}, 4, 'Quick and kind', ${tx.now}, ${tx.now}
      from tickets t where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`),
  );
}

async function fillTeams(owner: Person, agent: Person): Promise<void> {
  const people = { name: 'People', visibility: 'members', memberIds: [agent.userId] };
  const { id: teamId } = await done(owner.call('POST', '/teams', people));
  const { id } = await done(owner.call('POST', '/teams', { name: 'Former' }));
  await done(owner.call('PATCH', `/teams/${id}`, { archived: true }));
  await done(owner.call('PUT', `/teams/${teamId}/members/${owner.userId}`, { isLead: true }));
  await done(owner.call('PATCH', `/members/${agent.userId}`, { access: 'teams' }));
  await done(owner.call('POST', '/tickets', { subject: 'A secret', body: 'b', teamId }));
  await done(owner.call('POST', '/saved-replies', { name: 'To people', body: '', actions: { teamId } }));
}

async function fillSettings(house: House, owner: Person, agent: Person): Promise<void> {
  const file = async (content: string) => (await done(uploadApart(house, owner, { content }))).id;
  const attachmentIds = [await file('of a reply')];
  const reply = {
    name: 'Refund',
    shortcut: 'rf',
    body: 'Hello',
    bodyHtml: '<p>Hello</p>',
    attachmentIds,
    isShared: true,
  };
  const refund = { ...reply, actions: { assignee: agent.userId, addTags: ['x'] } };
  const { id: savedReplyId } = await done(owner.call('POST', '/saved-replies', refund));
  await done(agent.call('POST', '/saved-replies', { name: 'Mine', body: 'Only mine' }));
  const hours = [{ day: 1, open: '22:00', close: '24:00' }];
  const days = [
    { date: '2099-12-24', name: 'Christmas Eve', hours: [{ open: '09:00', close: '12:00' }] },
    { date: '2099-12-25', name: 'Christmas', hours: null },
  ];
  const conditions = {
    all: [{ ticket: { assignee: [agent.userId] } }, { message: { from: { is: ['ann@example.org'] } } }],
  };
  const trigger = { event: 'message.added', direction: 'inbound' };
  const rule = { name: 'Ann', trigger, conditions, actions: { addTags: ['x'] } };
  const { id: ruleId } = await done(owner.call('POST', '/rules', rule));
  const office = { name: 'Office', timeZone: 'Europe/Berlin', hours, days };
  const { id: calendarId } = await done(owner.call('POST', '/calendars', office));
  const closed = { name: 'Closed', kind: 'out_of_hours', calendarId, validUntil: '2099-12-31T12:00:00.000Z' };
  await done(owner.call('POST', '/auto-replies', { ...closed, savedReplyId }));
  await fillSurveys(house, owner);
  await done(owner.call('PUT', '/tags/colour', { tag: 'Vip', colour: 'green' }));
  await done(owner.call('POST', '/views', { name: 'Ada', query: { assignee: agent.userId }, isShared: true }));
  await done(owner.call('POST', '/blocked-senders', { sender: '@Spam.example' }));
  const [ticket] = await liveTicketsOf(owner);
  const draft = { body: 'Not yet', attachmentIds: [await file('of a draft')] };
  await done(owner.call('PUT', `/tickets/${ticket.id}/drafts/answer`, { ...draft, version: 0 }));
  const startsAs = { status: 'pending', assigneeId: agent.userId, tags: ['x'] };
  await done(agent.call('POST', '/drafts', { subject: 'New', body: 'A new ticket', startsAs }));
  const contacts = (await owner.call('GET', '/contacts')).body;
  const contact = (email: string) => contacts.find((each: any) => each.email === email)?.id;
  const target = { targetContactId: contact('ann@example.org') };
  await done(owner.call('POST', `/contacts/${contact('carl@example.org')}/merge`, target));
  const [sha256 = ''] = await house.app.blobs.packed.putAll(owner.workspaceId, [Buffer.from('not a mail')]);
  await house.app.db.tx(async (tx) => {
    const byRule = automation(owner.workspaceId, { kind: 'rule', id: ruleId, depth: 2 });
    await record(tx, byRule, { ticketId: ticket.id, type: 'ticket.tagged', data: { added: ['x'], removed: [] } });
    await tx.run(sql`
      insert into raw_mails (workspace_id, id, sha256, size_bytes, source, state, fingerprint, note, received_at)
      values (${owner.workspaceId}, ${tx.newId()}, ${sha256}, 10, 'smtp', 'quarantined', 'f', 'broken', ${tx.now})`);
    await tx.run(sql`
      insert into mailboxes (workspace_id, id, provider, address, address_key, name, status, status_changed_at,
        team_id, default_assignee_id, default_tags, history_days, connected_at, created_at, updated_at,
        refresh_token, aliases)
      values (${owner.workspaceId}, ${tx.newId()}, 'mail-a', 'Desk@example.org', 'desk@example.org', 'Desk',
        'disconnected', ${tx.now},
        (select id from teams where workspace_id = ${owner.workspaceId} and visibility = 'members'),
        ${agent.userId}, ${['desk']}, 30, ${tx.now}, ${tx.now}, ${tx.now}, 'SEALED-TOKEN',
        ${['help@example.org']})`);
    await tx.run(sql`
      insert into sample_tickets (workspace_id, ticket_id, script, replies)
      values (${owner.workspaceId}, ${ticket.id}, 1, 2)`);
    await tx.run(sql`
      insert into thread_tokens (workspace_id, ticket_id, source, token)
      values (${owner.workspaceId}, ${ticket.id}, 'zammad', 'help.acme.example/ticket#31001')`);
  });
}
