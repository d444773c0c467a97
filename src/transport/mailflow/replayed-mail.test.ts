import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails, sourceOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { dnsOf, senderDomain } from '../../../test/worlds/sender-domain.ts';

// Ann's domain signs what she writes, and rejects what it did not send. The attacker has mails of hers.
const careful = senderDomain('careful.test', { spf: 'v=spf1 ip4:9.9.9.9 -all', dmarc: 'v=DMARC1; p=reject' });
const attacker = senderDomain('attacker.test', { spf: 'v=spf1 ip4:8.8.8.8 -all' });
const { resolve: resolveDns } = dnsOf(careful, attacker);
const house = useHouse({ MAIL_FROM: 'Support <support@example.com>', SMTP_LISTEN: '127.0.0.1:2525' }, { resolveDns });

const [ann, evil, accomplice] = ['ann@careful.test', 'evil@attacker.test', 'accomplice@attacker.test'];
const subject = 'The printer hums loudly';
const signedFields = 'from:to:cc:subject:date:message-id';

/** The bytes of a mail that Ann's server signed. */
function signedMail(headers: Record<string, string>, body = 'It hums.'): Promise<Buffer> {
  const fields = { From: `Ann <${ann}>`, Date: house.clock.now().toUTCString(), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return careful.sign(Buffer.from([...lines, '', body, ''].join('\r\n')), { fields: signedFields });
}

/** Delivers by SMTP from a server, with lines put on top. */
async function deliver(owner: Person, mail: Buffer, address: string, lines: string[] = []) {
  const from = address === '9.9.9.9' ? ann : evil;
  const envelope = { from, to: [], client: { address, helo: 'mx.example' } };
  const added = Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
  await ingestMails(house.app, { ...sourceOf(house, owner), envelope }, [Buffer.concat([added, mail])]);
}
const replay = (owner: Person, mail: Buffer, ...lines: string[]) => deliver(owner, mail, '8.8.8.8', lines);

async function annsTicket() {
  const owner = await makeOwner(house);
  const headers = { To: 'support@example.com', Subject: subject, 'Message-ID': '<first@careful.test>' };
  await deliver(owner, await signedMail(headers), '9.9.9.9');
  const [{ id }] = await ticketsOf(owner);
  return { owner, id };
}

/** An answer without recipients goes to Ann alone. */
async function expectAnnAlone(owner: Person, id: string) {
  expect((await ticketOf(owner, id)).replyDefaults).toEqual({ to: [ann], cc: [] });
  const { body } = await owner.call('POST', `/tickets/${id}/messages`, { body: 'Sure.', sendEmail: true });
  expect([body.to, body.cc]).toEqual([[ann], []]);
}

const toEvil = (headers: Record<string, string> = {}) =>
  signedMail({ To: evil, Subject: 'Your offer', 'Message-ID': '<offer@careful.test>', ...headers });

test('a copy of a mail to somebody else that names a known id brings nobody in', async () => {
  const { owner, id } = await annsTicket();
  await replay(owner, await toEvil({ Cc: accomplice }), 'In-Reply-To: <first@careful.test>');
  const ticket = await ticketOf(owner, id);
  expect(ticket.messages.at(-1)).toMatchObject({ author: { email: ann }, authentication: { verdict: 'pass' } });
  await expectAnnAlone(owner, id);
  await replay(owner, await signedMail({ To: accomplice, Subject: 'x' }), 'In-Reply-To: <first@careful.test>');
  await expectAnnAlone(owner, id);
});

test.each([
  ['a Cc', `Cc: ${accomplice}`],
  ['a Reply-To', 'Reply-To: evil@careful.test'],
  ['a Delivered-To', `Delivered-To: ${evil}`],
  ['a Resent-To', 'Resent-To: support@example.com'],
])('an added %s counts as in a mail without proof', async (_what, line) => {
  const { owner, id } = await annsTicket();
  await replay(owner, await toEvil(), line, 'In-Reply-To: <first@careful.test>');
  await expectAnnAlone(owner, id);
  expect((await ticketOf(owner, id)).messages).toHaveLength(3);
});

test('an added To that names us does not make a copy ours', async () => {
  const { owner, id } = await annsTicket();
  const mail = await signedMail({ Subject: `Re: ${subject}`, 'Message-ID': '<undisclosed@careful.test>' });
  await replay(owner, mail, 'To: support@example.com', `Cc: ${evil}`);
  expect((await ticketOf(owner, id)).messages).toHaveLength(1);
  const other = (await ticketsOf(owner)).at(-1);
  await expectAnnAlone(owner, other.id);
});

test.each([
  [['Subject: Re: The printer hums loudly', `To: ${accomplice}`]],
  [['Subject: Re: The printer hums loudly']],
  [['Subject: Re: The printer hums loudly', 'To: support@example.com', 'In-Reply-To: <unknown@careful.test>']],
])('a second %j on top joins nothing and proves nothing', async (lines) => {
  const { owner, id } = await annsTicket();
  await replay(owner, await toEvil(), ...lines);
  expect((await ticketOf(owner, id)).messages).toHaveLength(1);
  const other = (await ticketsOf(owner)).at(-1);
  expect((await ticketOf(owner, other.id)).messages[0].authentication.verdict).toBe('none');
  await expectAnnAlone(owner, other.id);
});

test('a copy with the subject of a ticket joins it only if it was written to us', async () => {
  const { owner, id } = await annsTicket();
  const headers = { To: 'support@example.com', Cc: 'carla@careful.test', Subject: `Re: ${subject}` };
  await replay(owner, await signedMail({ ...headers, 'Message-ID': '<second@careful.test>' }));
  const ticket = await ticketOf(owner, id);
  expect(ticket.messages).toHaveLength(2);
  expect(ticket.replyDefaults).toEqual({ to: [ann], cc: ['carla@careful.test'] });
  await replay(owner, await toEvil({ Subject: `Re: ${subject}` }));
  expect((await ticketOf(owner, id)).messages).toHaveLength(2);
});

test('a mail that Ann’s server forwards or a list passes on unchanged loses only its extra recipients', async () => {
  const owner = await makeOwner(house);
  const headers = { To: 'help@elsewhere.test', Cc: 'carla@careful.test', Subject: subject };
  await replay(owner, await signedMail({ ...headers, 'Message-ID': '<forwarded@careful.test>' }));
  const [{ id }] = await ticketsOf(owner);
  expect(await ticketOf(owner, id)).toMatchObject({
    requester: { email: ann },
    replyDefaults: { to: [ann], cc: [] },
    replyOffers: ['help@elsewhere.test', 'carla@careful.test'],
    messages: [{ authentication: { verdict: 'pass' } }],
  });
});
