import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails, mailOf, sourceOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { dnsOf, senderDomain } from '../../../test/worlds/sender-domain.ts';

// Our own domain and Eva's prove what they send; our web server and our group send from 7.7.7.7.
const ours = senderDomain('desk.test', { spf: 'v=spf1 ip4:7.7.7.7 -all' });
const careful = senderDomain('careful.test', { spf: 'v=spf1 ip4:9.9.9.9 -all', dmarc: 'v=DMARC1; p=reject' });
const { resolve: resolveDns } = dnsOf(ours, careful);
const house = useHouse({ MAIL_FROM: 'Support <support@desk.test>', SMTP_LISTEN: '127.0.0.1:2525' }, { resolveDns });

const [eva, evil] = ['eva@careful.test', 'evil@attacker.test'];
const servers = { ours: '7.7.7.7', eva: '9.9.9.9', evil: '8.8.8.8', relay: '127.0.0.1' };

async function receive(owner: Person, server: keyof typeof servers, headers: Record<string, string>) {
  const from = server === 'ours' ? 'bounces@desk.test' : server === 'eva' ? eva : evil;
  const envelope = { from, to: [], client: { address: servers[server], helo: 'mx.example' } };
  const mail = mailOf({ headers: { To: 'support@desk.test', Date: house.clock.now().toUTCString(), ...headers } });
  await ingestMails(house.app, { ...sourceOf(house, owner), envelope }, [mail]);
}

const viaGroup = {
  From: "'Eva Example' via Support <support@desk.test>",
  'Reply-To': `Eva Example <${eva}>`,
  'X-Original-Sender': eva,
  'List-ID': '<support.desk.test>',
  'Mailing-list': 'list support@desk.test',
};
const form = { From: 'Website <support@desk.test>', 'Reply-To': 'Carla <carla@gmail.test>' };
const noReply = { ...form, From: 'Website <noreply@desk.test>' };

const newest = async (owner: Person) => ticketOf(owner, (await ticketsOf(owner)).at(-1).id);
const answer = (owner: Person, id: string) =>
  owner.call('POST', `/tickets/${id}/messages`, { body: 'Sure.', sendEmail: true, thenStatus: 'closed' });

describe('the customer is the person for whom it was sent, in', () => {
  const { 'Reply-To': _, ...munged } = viaGroup;
  test.each([
    ['a mail by a group', viaGroup, eva, 'Eva Example'],
    ['one whose replies go to the group', { ...viaGroup, 'Reply-To': 'support@desk.test' }, eva, 'Eva Example'],
    ['one without a Reply-To', munged, eva, 'Eva Example'],
    ['one with the From of the writer', { ...munged, 'X-Original-From': `Eva E. <${eva}>` }, eva, 'Eva E.'],
    ['a form from our address', form, 'carla@gmail.test', 'Carla'],
    ['a form from our domain', noReply, 'carla@gmail.test', 'Carla'],
    ['a form without a name', { ...form, 'Reply-To': 'carla@gmail.test' }, 'carla@gmail.test', null],
    ['a form that also asks us', { ...form, 'Reply-To': 'support@desk.test, c@gmail.test' }, 'c@gmail.test', null],
    ['a form service', { ...form, From: 'no-reply@forms.test' }, 'carla@gmail.test', 'Carla'],
    ['another form service', { ...form, From: 'Do_Not_Reply+7@forms.test' }, 'carla@gmail.test', 'Carla'],
  ])('%s', async (_what, headers, email, name) => {
    const owner = await makeOwner(house);
    for (const server of ['relay', 'ours', 'evil'] as const) {
      await receive(owner, server, headers);
      const ticket = await newest(owner);
      expect(ticket).toMatchObject({ status: 'open', unread: true, replyDefaults: { to: [email], cc: [] } });
      expect(ticket.requester).toMatchObject({ email, name });
      expect(ticket.waitingSince).not.toBeNull();
      expect(ticket.messages[0]).toMatchObject({
        author: { type: 'customer', email },
        authentication: { verdict: 'none' },
      });
      const sent = await answer(owner, ticket.id);
      expect([sent.status, sent.body.to]).toEqual([201, [email]]);
    }
  });

  test.each([
    ['a person’s own Reply-To', { From: 'Bob <bob@customer.test>', 'Reply-To': 'bob@home.test' }, 'bob@customer.test'],
    [
      'a newsletter',
      { From: 'no-reply@shop.test', 'Reply-To': 'x@other.test', 'List-ID': '<n.shop.test>' },
      'no-reply@shop.test',
    ],
    [
      'a no-reply of the same company',
      { From: 'noreply@shop.test', 'Reply-To': 'help@shop.test' },
      'noreply@shop.test',
    ],
  ])('but not in %s', async (_what, headers, email) => {
    const owner = await makeOwner(house);
    await receive(owner, 'relay', headers);
    expect((await newest(owner)).requester.email).toBe(email);
  });
});

test.each(['relay', 'ours'] as const)(
  'an answer through a group opens the closed ticket and tells: by %s',
  async (server) => {
    const owner = await makeOwner(house);
    await receive(owner, 'eva', {
      From: `Eva <${eva}>`,
      Subject: 'My fridge is warm',
      'Message-ID': '<fridge@careful.test>',
    });
    const { id } = await newest(owner);
    await answer(owner, id);
    await owner.call('POST', `/tickets/${id}/read`);
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed', unread: false });
    await receive(owner, server, {
      ...viaGroup,
      Subject: 'Re: My fridge is warm',
      'In-Reply-To': '<fridge@careful.test>',
    });
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({
      status: 'open',
      unread: true,
      messageCount: 3,
      replyDefaults: { to: [eva], cc: [] },
    });
    expect(ticket.messages.at(-1)).toMatchObject({ author: { email: eva }, isSenderKnown: server === 'ours' });
  },
);

describe('a stranger gains nothing', () => {
  async function evasTicket() {
    const owner = await makeOwner(house);
    await receive(owner, 'eva', {
      From: `Eva <${eva}>`,
      Subject: 'My fridge is warm',
      'Message-ID': '<fridge@careful.test>',
    });
    return { owner, id: (await newest(owner)).id };
  }
  const known = { 'In-Reply-To': '<fridge@careful.test>', Cc: 'accomplice@attacker.test' };

  test.each([
    ['by a form’s Reply-To', { ...form, 'Reply-To': evil }],
    ['by the fields of a list', { ...viaGroup, 'Reply-To': evil, 'X-Original-Sender': evil, 'X-Original-From': evil }],
    ['by a form service', { ...form, From: 'no-reply@forms.test', 'Reply-To': evil }],
  ])('%s: he is shown as new, and gets no answer', async (_what, headers) => {
    const { owner, id } = await evasTicket();
    for (const server of ['evil', 'relay', 'ours'] as const) {
      await receive(owner, server, { ...headers, ...known });
      const ticket = await ticketOf(owner, id);
      expect(ticket.messages.at(-1)).toMatchObject({ author: { email: evil }, isSenderKnown: false });
      expect(ticket).toMatchObject({ requester: { email: eva }, replyDefaults: { to: [eva], cc: [] } });
    }
  });

  test.each([
    ['a form', { ...form, 'Reply-To': `Eva <${eva}>` }],
    ['a list', viaGroup],
    ['a form service', { ...form, From: 'no-reply@forms.test', 'Reply-To': eva }],
  ])('as the customer by %s: no proof, no recipients, and no ticket by the subject', async (_what, headers) => {
    const { owner, id } = await evasTicket();
    await receive(owner, 'evil', { ...headers, Subject: 'Re: My fridge is warm', Cc: evil });
    expect((await ticketOf(owner, id)).messageCount).toBe(1);
    expect(await newest(owner)).toMatchObject({ replyDefaults: { to: [eva], cc: [] }, replyOffers: [evil] });
    await receive(owner, 'evil', { ...headers, ...known });
    const ticket = await ticketOf(owner, id);
    expect(ticket.messages.at(-1)).toMatchObject({ isSenderKnown: false, authentication: { verdict: 'none' } });
    expect(ticket.replyDefaults).toEqual({ to: [eva], cc: [] });
  });

  test('whoever fills in our own form as the customer', async () => {
    const { owner, id } = await evasTicket();
    await receive(owner, 'ours', { ...form, 'Reply-To': eva, Subject: 'My fridge is warm', Cc: evil });
    expect((await ticketOf(owner, id)).messageCount).toBe(1);
    expect((await newest(owner)).replyDefaults).toEqual({ to: [eva], cc: [] });
  });
});

test('two workspaces of one installation that write to each other are customers of each other', async () => {
  const [one, other] = [await makeOwner(house), await makeOwner(house)];
  const opened = await one.call('POST', '/tickets', {
    ...{ subject: 'Our order', body: 'Where is it?', sendEmail: true, toAddresses: ['other@elsewhere.test'] },
  });
  expect(opened.status).toBe(201);
  await house.drain();
  const pass = async (to: Person) => {
    const raw = Buffer.from(((await house.outbox()).at(-1) ?? '').replace(/\r?\n/g, '\r\n'));
    await ingestMails(house.app, sourceOf(house, to), [raw]);
  };
  await pass(other);
  const ticket = await newest(other);
  expect(ticket).toMatchObject({ status: 'open', unread: true, subject: 'Our order' });
  expect(ticket.requester.email).toMatch(/^inbox-[0-9a-f]+@desk\.test$/);
  expect(ticket.replyDefaults).toEqual({ to: [ticket.requester.email], cc: [] });
  await answer(other, ticket.id);
  await house.drain();
  await pass(one);
  const answered = await ticketOf(one, opened.body.id);
  expect(answered.messages).toHaveLength(2);
  expect(answered).toMatchObject({ status: 'open', unread: true });
  await answer(one, opened.body.id);
  await house.drain();
  await pass(other);
  expect(await ticketOf(other, ticket.id)).toMatchObject({
    status: 'open',
    messageCount: 3,
    requester: ticket.requester,
  });
});
