import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails, mailOf as plainMailOf, sourceOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { dnsOf, senderDomain } from '../../../test/worlds/sender-domain.ts';

// Bob's domain publishes no records. Ann's does, and so does the attacker's, whose own mail is authentic.
const strict = senderDomain('careful.test', { spf: 'v=spf1 ip4:9.9.9.9 -all', dmarc: 'v=DMARC1; p=reject' });
const attacker = senderDomain('attacker.test', { spf: 'v=spf1 ip4:8.8.8.8 -all' });
const { resolve: resolveDns } = dnsOf(strict, attacker);
const house = useHouse({ MAIL_FROM: 'Support <support@example.com>', SMTP_LISTEN: '127.0.0.1:2525' }, { resolveDns });

const [bob, ann, evil] = ['bob@customer.test', 'ann@careful.test', 'evil@attacker.test'];
const clients = {
  [bob]: { address: '1.1.1.1', helo: 'mx.customer.test' },
  [ann]: { address: '9.9.9.9', helo: 'mx.careful.test' },
  [evil]: { address: '8.8.8.8', helo: 'mx.attacker.test' },
};

/** Delivers by SMTP from the sender's own server, even if From names another person. */
async function receive(
  owner: Person,
  sender: string,
  headers: Record<string, string>,
  parts: { to?: string[]; body?: string } = {},
) {
  const { to = [], body = 'Hello.' } = parts;
  const envelope = { from: sender, to, client: clients[sender] };
  const date = house.clock.now().toUTCString();
  const mail = plainMailOf({ headers: { From: sender, Date: date, ...headers }, body });
  await ingestMails(house.app, { ...sourceOf(house, owner), envelope }, [mail]);
}

const subject = 'The printer hums loudly';

/** The ticket that this mail opened. */
async function ticketFrom(sender: string, headers: Record<string, string> = {}) {
  const owner = await makeOwner(house);
  await receive(owner, sender, { Subject: subject, 'Message-ID': '<first@customer.test>', ...headers });
  const [{ id }] = await ticketsOf(owner);
  return { owner, id };
}

/** Answers without explicit recipients, and sends the answer. */
async function answer(owner: Person, id: string, body: Record<string, unknown> = {}) {
  const { body: message } = await owner.call('POST', `/tickets/${id}/messages`, {
    body: 'Sure.',
    sendEmail: true,
    ...body,
  });
  await house.drain();
  const raw = ((await house.outbox()).at(-1) ?? '').replace(/\r\n[ \t]/g, ' ');
  const field = (name: string) => new RegExp(`^${name}:.*?<?([^<>\\s]+@[^<>\\s]+)>?$`, 'im').exec(raw)?.[1] ?? '';
  return { ...message, replyTo: message.replyTo, tokenAddress: field('Reply-To'), rfcMessageId: field('Message-ID') };
}

/** The answer goes to the default recipients that the agent sees. */
async function expectDefaults(owner: Person, id: string, to: string[], cc: string[] = []) {
  expect((await ticketOf(owner, id)).replyDefaults).toEqual({ to, cc });
  const sent = await answer(owner, id);
  expect([sent.to, sent.cc]).toEqual([to, cc]);
}

describe('a stranger who writes in a customer’s name', () => {
  test('gets no customer onto the block list', async () => {
    const { owner } = await ticketFrom(ann);
    await receive(owner, evil, { From: ann, Subject: 'Buy this' });
    const [genuine, forged] = await ticketsOf(owner);
    const block = { blockSender: 'address' };
    const refused = await owner.call('POST', `/tickets/${forged.id}/spam`, block);
    expect(refused.body.key).toBe('blocked_sender.forged');
    expect((await ticketOf(owner, forged.id)).spamAt).toBeNull();
    expect((await owner.call('POST', `/tickets/${forged.id}/spam`, {})).status).toBe(200);
    expect((await owner.call('POST', `/tickets/${genuine.id}/spam`, block)).status).toBe(200);
  });

  test('does not learn when the mail is read, even though the customer’s images are always shown', async () => {
    const { owner } = await ticketFrom(ann);
    const [{ id }] = (await owner.call('GET', '/contacts')).body;
    await owner.call('PUT', `/contacts/${id}/remote-images`, { mode: 'always' });
    const headers = { From: `Ann <${ann}>`, 'Content-Type': 'text/html' };
    for (const sender of [ann, evil])
      await receive(
        owner,
        sender,
        { ...headers, Subject: `From ${sender}` },
        { body: '<img src="https://a.example/b">' },
      );
    const tickets = (await ticketsOf(owner)).slice(1);
    const read = await Promise.all(tickets.map((ticket) => ticketOf(owner, ticket.id)));
    expect(read.map(({ messages: [message] }) => message)).toMatchObject([
      { authentication: { verdict: 'pass' }, showsRemoteImages: true },
      { authentication: { verdict: 'fail' }, showsRemoteImages: false },
    ]);
  });

  test('gets a separate ticket despite subject and From, and no answer by Reply-To', async () => {
    const { owner, id } = await ticketFrom(bob);
    await receive(owner, evil, { From: `Bob <${bob}>`, 'Reply-To': evil, Subject: `Re: ${subject}` });
    const tickets = await ticketsOf(owner);
    expect(tickets.map(({ messageCount }) => messageCount)).toEqual([1, 1]);
    await expectDefaults(owner, id, [bob]);
    await expectDefaults(owner, tickets[1].id, [bob]);
    const [message] = (await ticketOf(owner, tickets[1].id)).messages;
    expect(message).toMatchObject({ envelopeFrom: evil, replyTo: [evil], authentication: { verdict: 'none' } });
  });

  test('gets no answer with a known Message-ID either, by Reply-To or by Cc', async () => {
    const { owner, id } = await ticketFrom(bob);
    await receive(owner, evil, {
      From: `Bob <${bob}>`,
      'Reply-To': evil,
      Cc: 'accomplice@attacker.test',
      'In-Reply-To': '<first@customer.test>',
    });
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 2, requester: { email: bob } });
    await expectDefaults(owner, id, [bob]);
    // The accomplice does not become a participant either.
    await receive(owner, evil, { From: 'accomplice@attacker.test', 'In-Reply-To': '<first@customer.test>' });
    expect((await ticketOf(owner, id)).messages.at(-1)).toMatchObject({ isSenderKnown: false });
    await expectDefaults(owner, id, [bob]);
  });

  test('gets nobody into an answer by the Cc of a first mail: they are offered, and stay strangers', async () => {
    const owner = await makeOwner(house);
    const forged = { From: `Bob <${bob}>`, To: 'support@example.com', Cc: `Bob private <${evil}>`, Subject: subject };
    await receive(owner, evil, { ...forged, 'Message-ID': '<first@attacker.test>' });
    const [{ id }] = await ticketsOf(owner);
    expect(await ticketOf(owner, id)).toMatchObject({ requester: { email: bob }, replyOffers: [evil] });
    await expectDefaults(owner, id, [bob]);
    await receive(owner, evil, { 'In-Reply-To': '<first@attacker.test>' });
    expect((await ticketOf(owner, id)).messages.at(-1)).toMatchObject({ isSenderKnown: false });
    await expectDefaults(owner, id, [bob]);
    // The agent may take the offer.
    await answer(owner, id, { toAddresses: [bob], ccAddresses: [evil] });
    await receive(owner, evil, { 'In-Reply-To': '<first@attacker.test>' });
    await expectDefaults(owner, id, [evil]);
  });

  test('enters no ticket when the customer’s domain disowns the mail, except by the token', async () => {
    const { owner, id } = await ticketFrom(ann);
    expect((await ticketOf(owner, id)).messages[0].authentication.verdict).toBe('pass');
    const { tokenAddress } = await answer(owner, id);
    const forged = { From: ann, 'Reply-To': evil, Cc: evil, Subject: `Re: ${subject}` };
    await receive(owner, evil, { ...forged, 'In-Reply-To': '<first@customer.test>' });
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 2 });
    await receive(owner, evil, forged, { to: [tokenAddress] });
    const ticket = await ticketOf(owner, id);
    expect(ticket.messageCount).toBe(3);
    expect(ticket.messages.at(-1)).toMatchObject({
      author: { email: ann },
      isSenderKnown: false,
      envelopeFrom: evil,
      authentication: { verdict: 'fail', dmarc: 'fail' },
    });
    await expectDefaults(owner, id, [ann]);
  });
});

describe('a stranger under his own name', () => {
  test('with a known Message-ID is shown as new, and answers go only to earlier participants', async () => {
    const { owner, id } = await ticketFrom(ann, { Cc: 'carla@careful.test' });
    for (let times = 0; times < 2; times++) {
      await receive(owner, evil, { 'In-Reply-To': '<first@customer.test>', Cc: 'accomplice@attacker.test' });
      const ticket = await ticketOf(owner, id);
      expect(ticket.messages.at(-1)).toMatchObject({ author: { email: evil }, isSenderKnown: false });
      expect(ticket.requester.email).toBe(ann);
      expect(ticket.replyDefaults).toEqual({ to: [ann], cc: ['carla@careful.test'] });
    }
    await expectDefaults(owner, id, [ann], ['carla@careful.test']);
  });

  test('becomes a participant once an agent writes to him', async () => {
    const { owner, id } = await ticketFrom(bob);
    await receive(owner, evil, { 'In-Reply-To': '<first@customer.test>' });
    await answer(owner, id, { toAddresses: [evil] });
    await receive(owner, evil, { 'In-Reply-To': '<first@customer.test>' });
    expect((await ticketOf(owner, id)).messages.at(-1)).toMatchObject({ isSenderKnown: true });
    await expectDefaults(owner, id, [evil]);
  });

  test('stays a stranger when the ticket is merged into another', async () => {
    const { owner, id } = await ticketFrom(bob);
    await receive(owner, evil, { 'In-Reply-To': '<first@customer.test>' });
    await receive(owner, bob, { Subject: 'Another matter' });
    const targetId = (await ticketsOf(owner)).at(-1).id;
    await owner.call('POST', `/tickets/${id}/merge`, { targetTicketId: targetId });
    await receive(owner, evil, { 'In-Reply-To': '<first@customer.test>' });
    expect((await ticketOf(owner, targetId)).messages.at(-1)).toMatchObject({ isSenderKnown: false });
    await expectDefaults(owner, targetId, [bob]);
  });

  test('who predicts a Message-ID gets neither the mail with it nor its answers', async () => {
    const owner = await makeOwner(house);
    await receive(owner, evil, { Subject: 'Orders', References: '<order-1001@shop.test> <order-1002@shop.test>' });
    await receive(owner, bob, { Subject: 'Your order', 'Message-ID': '<order-1001@shop.test>' });
    await receive(owner, ann, { Subject: 'Re: Your order', 'In-Reply-To': '<order-1002@shop.test>' });
    const tickets = await ticketsOf(owner);
    expect(tickets.map(({ requester }) => requester.email)).toEqual([evil, bob, ann]);
    await receive(owner, ann, { Subject: 'Re: Your order', 'In-Reply-To': '<order-1001@shop.test>' });
    expect((await ticketOf(owner, tickets[1].id)).messageCount).toBe(2);
    await expectDefaults(owner, tickets[1].id, [bob]);
  });

  test('whose Reply-To names a hundred people gets one answer', async () => {
    const many = Array.from({ length: 150 }, (_, index) => `p${index}@victims.test`);
    const { owner, id } = await ticketFrom(evil, { 'Reply-To': many.join(', ') });
    expect((await ticketOf(owner, id)).messages[0].replyTo).toHaveLength(150);
    await expectDefaults(owner, id, [evil]);
    const copied = await ticketFrom(evil, {
      Cc: many.join(', '),
      'Reply-To': many.map((email) => email.replace('victims', 'attacker')).join(', '),
    });
    const { to, cc } = (await ticketOf(copied.owner, copied.id)).replyDefaults;
    expect(to.length + cc.length).toBeLessThanOrEqual(10);
    const sent = await answer(copied.owner, copied.id);
    expect([sent.to, sent.cc]).toEqual([to, cc]);
  });
});

describe('what ordinary people do still works:', () => {
  test('a Reply-To within their own organisation, when the mail is authentic', async () => {
    const { owner, id } = await ticketFrom(ann, { 'Reply-To': 'orders@shop.careful.test' });
    await expectDefaults(owner, id, ['orders@shop.careful.test']);
    const unproven = await ticketFrom(bob, { 'Reply-To': 'orders@customer.test' });
    await expectDefaults(unproven.owner, unproven.id, [bob]);
  });

  test('a new mail of the same subject with a colleague in Cc, when it is authentic', async () => {
    const { owner, id } = await ticketFrom(ann);
    await receive(owner, ann, { Subject: `Re: ${subject}`, Cc: 'carla@customer.test' });
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 2 });
    await expectDefaults(owner, id, [ann], ['carla@customer.test']);
    await receive(owner, bob, { From: 'carla@customer.test', 'In-Reply-To': '<first@customer.test>' });
    expect((await ticketOf(owner, id)).messages.at(-1)).toMatchObject({ isSenderKnown: true });
    await expectDefaults(owner, id, ['carla@customer.test']);
  });

  test('an answer from a domain without records, by its ids', async () => {
    const { owner, id } = await ticketFrom(bob);
    const { rfcMessageId } = await answer(owner, id);
    await receive(owner, bob, { 'In-Reply-To': `<${rfcMessageId}>` });
    await receive(owner, bob, { References: '<unknown@elsewhere.test> <first@customer.test>' });
    const ticket = await ticketOf(owner, id);
    expect(ticket.messages.map(({ isSenderKnown }: any) => isSenderKnown)).toEqual([null, null, true, true]);
  });
});

test('a stranger’s mail with the Message-ID of an answer is not taken for a copy of the answer', async () => {
  const { owner, id } = await ticketFrom(bob);
  const { rfcMessageId } = await answer(owner, id);
  await receive(owner, evil, { Subject: 'Pay here', 'Message-ID': `<${rfcMessageId}>` });
  expect((await ticketsOf(owner)).map((ticket) => ticket.subject)).toEqual([subject, 'Pay here']);
});

test('a live mail that is older than its ticket changes neither subject nor requester', async () => {
  const { owner, id } = await ticketFrom(bob);
  const { requester } = await ticketOf(owner, id);
  const headers = { From: ann, Subject: 'Other', 'In-Reply-To': '<first@customer.test>' };
  const receivedAt = new Date(house.clock.now().getTime() - 3_600_000);
  await ingestMails(house.app, { ...sourceOf(house, owner), receivedAt }, [plainMailOf({ headers })]);
  expect(await ticketOf(owner, id)).toMatchObject({ subject, requester, messageCount: 2 });
});

describe('a bounce', () => {
  const bounceOf = (rfcMessageId: string, recipient: string) => ({
    headers: {
      From: 'MAILER-DAEMON@attacker.test',
      Subject: 'Undelivered Mail Returned to Sender',
      'Content-Type': 'multipart/report; report-type=delivery-status; boundary=b',
    },
    body: [
      ...['--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.attacker.test', ''],
      ...[`Final-Recipient: rfc822; ${recipient}`, 'Action: failed', 'Status: 5.1.1'],
      ...['Diagnostic-Code: smtp; 550 Call +1-900-EVIL to restore your mail', ''],
      ...['--b', 'Content-Type: message/rfc822', '', `Message-ID: <${rfcMessageId}>`, 'Subject: x', '', '.', '--b--'],
    ].join('\r\n'),
  });

  async function bounced(recipient: string, from?: string) {
    const { owner, id } = await ticketFrom(bob);
    const { rfcMessageId } = await answer(owner, id);
    const { headers, body } = bounceOf(rfcMessageId, recipient);
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await receive(owner, evil, { ...headers, ...(from === undefined ? {} : { From: from }) }, { body });
    const ticket = await ticketOf(owner, id);
    return { status: ticket.status, delivery: ticket.messages[1].delivery };
  }

  test('for an address that got no mail changes nothing', async () => {
    expect(await bounced('nobody@else.test')).toMatchObject({
      status: 'closed',
      delivery: { status: 'sent', error: null },
    });
  });

  test('that its domain disowns changes nothing', async () => {
    expect(await bounced(bob, 'MAILER-DAEMON@careful.test')).toMatchObject({
      status: 'closed',
      delivery: { status: 'sent' },
    });
  });

  test('for a recipient counts, and says whose words it quotes', async () => {
    expect(await bounced('Bob@customer.test')).toMatchObject({
      status: 'open',
      delivery: {
        status: 'bounced',
        error: 'Bob@customer.test: the other server said “550 Call +1-900-EVIL to restore your mail” (5.1.1)',
      },
    });
  });

  test('does not join another bounce of the same subject', async () => {
    const owner = await makeOwner(house);
    for (const recipient of ['one@customer.test', 'two@customer.test']) {
      const { headers, body } = bounceOf('unknown@elsewhere.test', recipient);
      const own = body.replace('unknown', recipient.slice(0, 3));
      await receive(owner, evil, headers, { body: own });
      await receive(owner, evil, { ...headers, 'Content-Type': 'text/plain', From: 'postmaster@attacker.test' });
      await receive(owner, evil, { Subject: 'Server report of today', 'Auto-Submitted': 'auto-generated' });
    }
    expect((await ticketsOf(owner)).map(({ messageCount }) => messageCount)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

test('an imported mail’s authentication results are ignored, even in the name of our relay', async () => {
  const owner = await makeOwner(house);
  const relayed = { ...house.app, config: { ...house.app.config, mailAuthservId: 'relay.example' } };
  const results = 'relay.example; dmarc=pass header.from=careful.test';
  for (const origin of ['import', 'live'] as const) {
    const mail = plainMailOf({ headers: { 'Authentication-Results': results, From: ann, Subject: origin } });
    await ingestMails(relayed, sourceOf(house, owner, origin), [mail]);
  }
  const read = await Promise.all((await ticketsOf(owner)).map(({ id }) => ticketOf(owner, id)));
  const verdicts = read.map(({ subject, messages: [message] }) => [subject, message.authentication.verdict]);
  expect(Object.fromEntries(verdicts)).toEqual({ import: 'none', live: 'pass' });
});
