import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { givePassword, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails, mailOf, sourceOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { dnsOf, senderDomain } from '../../../test/worlds/sender-domain.ts';
import { prepareMails } from './prepare-mails.ts';
import { takeMails } from './take/take-mails.ts';

// The members' domain proves what they send. The attacker's does too, but it is not theirs.
const team = senderDomain('example.org', { spf: 'v=spf1 ip4:9.9.9.9 -all', dmarc: 'v=DMARC1; p=reject' });
const attacker = senderDomain('attacker.test', { spf: 'v=spf1 ip4:8.8.8.8 -all' });
const { resolve: resolveDns } = dnsOf(team, attacker);
const house = useHouse({ MAIL_FROM: 'Support <support@desk.test>', SMTP_LISTEN: '127.0.0.1:2525' }, { resolveDns });

const [eva, cy, evil] = ['eva@customer.test', 'cy@else.test', 'evil@attacker.test'];
const servers = { team: '9.9.9.9', evil: '8.8.8.8' };
const head = `---------- Forwarded message ---------
From: Eva Example <${eva}>
Date: Mon, 2 Mar 2026 at 09:15
Subject: Re: Dark lamp
To: <shop@desk.test>`;
const inText = `Can you take this? She is impatient.\n\n${head}\n\n\nMy lamp is dark.\n\n> Which lamp?\n\nEva`;

type Sent = {
  server?: keyof typeof servers;
  from?: string;
  headers?: Record<string, string>;
  body?: string;
  origin?: 'import' | 'live';
};

/** A mail from the server of the team, unless another is named. */
function arriving(
  owner: Person,
  { server = 'team', from = owner.email, headers = {}, body = inText, origin = 'live' }: Sent = {},
) {
  const envelope = {
    from: server === 'team' ? owner.email : evil,
    to: [],
    client: { address: servers[server], helo: 'mx' },
  };
  const named = { From: `Ann <${from}>`, To: 'support@desk.test', Subject: 'Fwd: Re: Dark lamp', ...headers };
  const mail = mailOf({
    headers: { Date: house.clock.now().toUTCString(), ...named },
    body: body.replaceAll('\n', '\r\n'),
  });
  return { source: { ...sourceOf(house, owner, origin), envelope }, mails: [mail] };
}

async function receive(owner: Person, sent: Sent = {}) {
  const { source, mails } = arriving(owner, sent);
  await ingestMails(house.app, source, mails);
}

const newest = async (owner: Person) => ticketOf(owner, (await ticketsOf(owner)).at(-1).id);

async function answer(owner: Person, id: string) {
  const { body } = await owner.call('POST', `/tickets/${id}/messages`, {
    body: 'Sure.',
    sendEmail: true,
    quote: 'thread',
  });
  return body;
}

test('a mail that a member forwards opens a ticket of the person who wrote it', async () => {
  const owner = await makeOwner(house);
  await receive(owner, { headers: { Cc: cy } });
  const ticket = await newest(owner);
  expect(ticket).toMatchObject({
    ...{ subject: 'Re: Dark lamp', status: 'open', unread: false, messageCount: 2 },
    requester: { email: eva, name: 'Eva Example' },
    ...{ replyDefaults: { to: [eva], cc: [] }, replyOffers: [cy] },
  });
  expect(ticket.waitingSince).not.toBeNull();
  const [mail, note] = ticket.messages;
  expect(mail).toMatchObject({
    ...{ direction: 'inbound', author: { type: 'customer', email: eva }, forwardedBy: owner.userId },
    ...{ body: 'My lamp is dark.\n\n> Which lamp?\n\nEva', isSenderKnown: false, authentication: { verdict: 'none' } },
  });
  expect(note).toMatchObject({
    ...{ isInternal: true, author: { type: 'agent', userId: owner.userId }, forwardedBy: null },
    body: 'Can you take this? She is impatient.',
  });
  const sent = await answer(owner, ticket.id);
  expect([sent.to, sent.cc]).toEqual([[eva], []]);
  expect(sent.body).toContain('My lamp is dark.');
  expect(sent.body).not.toContain('impatient');
});

test('the member becomes the requester again, and then gets the reply', async () => {
  const owner = await makeOwner(house);
  await receive(owner);
  const { id } = await newest(owner);
  await owner.call('PATCH', `/tickets/${id}`, { requester: { email: owner.email } });
  expect(await ticketOf(owner, id)).toMatchObject({
    ...{ requester: { email: owner.email }, replyDefaults: { to: [owner.email], cc: [] } },
  });
  expect((await answer(owner, id)).to).toEqual([owner.email]);
});

test('what the person writes next joins the ticket, and so does the mail of the member', async () => {
  const owner = await makeOwner(house);
  await receive(owner, { headers: { 'Message-ID': '<forward@example.org>' } });
  const { id } = await newest(owner);
  const reply = { Subject: 'Re: Dark lamp', 'In-Reply-To': '<forward@example.org>' };
  await receive(owner, { headers: reply, body: 'One more thing.' });
  await receive(owner, { server: 'evil', from: eva, headers: reply, body: 'Thank you.' });
  expect(await ticketsOf(owner)).toHaveLength(1);
  const { messages, replyDefaults } = await ticketOf(owner, id);
  expect(messages.map((one: any) => [one.author.email, one.isSenderKnown])).toEqual([
    ...[
      [eva, false],
      [owner.email, null],
      [owner.email, false],
      [eva, true],
    ],
  ]);
  expect(replyDefaults).toEqual({ to: [eva], cc: [] });
});

test('HTML begins below the head, and an enclosed mail brings its files', async () => {
  const owner = await makeOwner(house);
  const part = (type: string, text: string) => `--b\nContent-Type: ${type}\n\n${text}\n`;
  const htmlHead = head.replace(`<${eva}>`, `&lt;${eva}&gt;`).replaceAll('\n', '<br>');
  const html = `<div>For you.</div><div>${htmlHead}</div><p>My lamp is <b>dark</b>.</p>`;
  const mime = (kind: string) => ({ 'MIME-Version': '1.0', 'Content-Type': `multipart/${kind}; boundary=b` });
  await receive(owner, {
    headers: mime('alternative'),
    body: `${part('text/plain', inText)}${part('text/html', html)}--b--`,
  });
  const [inHtml] = (await newest(owner)).messages;
  expect(inHtml.bodyHtml).toBe('<p>My lamp is <b>dark</b>.</p>');
  const enclosed = `From: Eva <${eva}>
Subject: WG: Dark lamp
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=c

--c\nContent-Type: text/plain\n\nSee the picture.\n--c\nContent-Type: image/png; name=lamp.png\n\nx\n--c--`;
  await receive(owner, {
    headers: { ...mime('mixed'), Subject: 'WG: Dark lamp' },
    body: `${part('text/plain', 'For you.')}${part('message/rfc822', enclosed)}--b--`,
  });
  const { subject, requester, messages } = await newest(owner);
  expect([subject, requester.email, messages.map(({ body }: any) => body)]).toEqual([
    ...['Dark lamp', eva, ['See the picture.', 'For you.']],
  ]);
  expect(messages[0].attachments.map((file: any) => file.fileName)).toContain('lamp.png');
});

test.each([
  ['a member', 'team', 1],
  ['a stranger', 'evil', 0],
] as const)('the files of a mail that %s encloses are stored as often as it may count', async (_, server, count) => {
  const owner = await makeOwner(house);
  const enclosed = `From: ${eva}\nContent-Type: image/png; name=lamp.png\n\nx`;
  const headers = { 'Content-Type': 'multipart/mixed; boundary=b' };
  const { source, mails } = arriving(owner, {
    ...{ server, headers, body: `--b\nContent-Type: message/rfc822\n\n${enclosed}\n--b--` },
  });
  const { prepared } = await prepareMails(house.app, source, mails);
  expect(prepared.map(({ forwardedAttachments }) => forwardedAttachments?.length)).toEqual([count]);
});

test('a forward that waited brings back nobody who was erased meanwhile', async () => {
  const owner = await makeOwner(house);
  const password = 'correct horse battery';
  await givePassword(house, owner, password);
  const { source, mails } = arriving(owner);
  const { prepared } = await prepareMails(house.app, source, mails);
  const ticket = { subject: 's', body: 'b', requester: { email: eva } };
  const { requester } = (await owner.call('POST', '/tickets', ticket)).body;
  const body = { email: eva, password };
  expect((await owner.call('POST', `/contacts/${requester.contactId}/erasure`, body)).status).toBe(202);
  expect((await takeMails(house.app, source, prepared)).map(({ kind }) => kind)).toEqual(['known']);
  await house.drain();
  expect((await owner.call('GET', `/contacts?search=${eva}`)).body).toEqual([]);
});

describe('nothing changes for', () => {
  const cases: Record<string, Sent> = {
    'a stranger’s forward': { server: 'evil', from: evil },
    'a mail forged in a member’s name': { server: 'evil' },
    'an import': { origin: 'import' },
    'a subject that says nothing of a forward': { headers: { Subject: 'Dark lamp' } },
    'a reply': { headers: { Subject: 'Re: Fwd: Dark lamp' } },
    'a machine': { headers: { 'Auto-Submitted': 'auto-replied' } },
    'our own address inside': { body: inText.replace(eva, 'support@desk.test') },
    'two enclosed mails': {
      headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
      body: `${[1, 2].map((n) => `--b\nContent-Type: message/rfc822\n\nFrom: ${eva}\n\nMail ${n}\n`).join('')}--b--`,
    },
  };
  test.each(Object.entries(cases))('%s', async (_, sent) => {
    const owner = await makeOwner(house);
    await receive(owner, sent);
    const { requester, messages } = await newest(owner);
    expect(requester.email).toBe(sent.from ?? owner.email);
    expect(messages.map((one: any) => one.forwardedBy)).toEqual([null]);
    expect((await owner.call('GET', `/contacts?search=${eva}`)).body).toEqual([]);
  });

  test('the member’s own mail inside, or a member of another workspace', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    await receive(owner, { body: inText.replace(eva, owner.email) });
    await receive(owner, { from: other.email });
    const tickets = await ticketsOf(owner);
    expect(tickets.map(({ requester }: any) => requester.email)).toEqual([owner.email, other.email]);
  });

  test('a former member', async () => {
    const owner = await makeOwner(house);
    const left = await makeMember(house, owner.workspaceId, 'agent');
    await owner.call('DELETE', `/members/${left.userId}`);
    await receive(owner, { from: left.email });
    expect((await newest(owner)).requester.email).toBe(left.email);
  });

  test('a viewer, who writes no notes', async () => {
    const owner = await makeOwner(house);
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    await receive(owner, { from: viewer.email });
    const { requester, messages } = await newest(owner);
    expect([requester.email, messages.length]).toEqual([viewer.email, 1]);
  });

  test('a ticket that the forward joins', async () => {
    const owner = await makeOwner(house);
    await receive(owner, { headers: { Subject: 'Lamp', 'Message-ID': '<first@example.org>' }, body: 'Hello' });
    await receive(owner, { headers: { 'In-Reply-To': '<first@example.org>' } });
    const { requester, messages } = await newest(owner);
    expect([requester.email, messages.length, messages[1].forwardedBy]).toEqual([owner.email, 2, null]);
  });
});
