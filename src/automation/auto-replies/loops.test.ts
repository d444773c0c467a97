import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildHouse, type House, useHouse } from '../../../test/harness/harness.ts';
import type { ReceivedMail } from '../../../test/peers/smtp-peer.ts';
import { correspond, headerOf, letter, openPost, type Post } from '../../../test/worlds/automation/correspondents.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { makeRule, runsOf } from '../../../test/worlds/rules.ts';

const ours = 'support@radwerk.example';
const ann = 'ann@example.org';
const settings = (from: string) => ({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: from });
const house = useHouse(settings(ours));
/** What anybody may get of mail that no person sends. */
const mailsMax = 3;

const closers: (() => Promise<unknown>)[] = [];
let owner: Person;
let post: Post;

beforeEach(async () => {
  owner = await makeOwner(house);
  post = await openPost(house, owner);
  closers.push(post.close);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const inbound = { event: 'message.added', direction: 'inbound', by: ['customer', 'machine'] };
const anybody = { all: [{ ticket: { spam: false } }] };

async function makeText(person: Person): Promise<string> {
  const text = { name: `t${Math.random()}`, body: 'We got it.', isShared: true };
  return (await person.call('POST', '/saved-replies', text)).body.id;
}

/** An automatic reply to each new ticket, and a rule that replies to each message, even of machines. */
async function makeTalkative(person: Person): Promise<void> {
  const savedReplyId = await makeText(person);
  const auto = { name: 'Auto', kind: 'received', savedReplyId, isActive: true };
  expect((await person.call('POST', '/auto-replies', auto)).status).toBe(201);
  const actions = { reply: { savedReplyId, to: 'requester' } };
  await makeRule(person, { trigger: inbound, conditions: anybody, actions });
}

const sentTo = (address: string) => post.sent.filter(({ to }) => to.includes(address));

test('two services that answer all that comes write each other no more than one answer each', async () => {
  const theirs = 'help@northgate.example';
  const other: House & { close(): Promise<void> } = await buildHouse(settings(theirs));
  closers.push(other.close);
  const otherOwner = await makeOwner(other);
  const otherPost = await openPost(other, otherOwner);
  closers.push(otherPost.close);
  for (const person of [owner, otherOwner]) await makeTalkative(person);
  // A person of theirs writes to us, so that a person's mail begins it.
  const input = { subject: 'Our order', body: 'Where is it?', requester: { email: ours }, sendEmail: true };
  expect((await otherOwner.call('POST', '/tickets', { ...input, direction: 'outbound' })).status).toBe(201);
  const [first, ...rest] = await otherPost.take();
  expect(rest).toEqual([]);
  await correspond(post, first as ReceivedMail, async (mail) => {
    await otherPost.receive(mail);
    return otherPost.take();
  });
  expect(post.sent.length).toBeGreaterThan(0);
  expect(post.sent.length).toBeLessThanOrEqual(mailsMax);
  expect(otherPost.sent).toHaveLength(1);
  expect(await ticketsOf(otherOwner)).toHaveLength(1);
});

test.each<[string, (mail: ReceivedMail) => Record<string, string>]>([
  [
    'says that it is one',
    ({ raw }) => ({ 'In-Reply-To': headerOf({ raw }, 'Message-ID'), 'Auto-Submitted': 'auto-replied' }),
  ],
  [
    'says nothing',
    (mail) => ({ 'In-Reply-To': headerOf(mail, 'Message-ID'), Subject: `Re: ${headerOf(mail, 'Subject')}` }),
  ],
  ['begins anew each time', () => ({ Subject: 'Out of office' })],
])('a vacation responder that %s gets three mails at most', async (_name, headersFor) => {
  await makeTalkative(owner);
  await correspond(post, letter(ann, ours, { body: 'Hello?' }), (mail) => [
    letter(ann, ours, { headers: headersFor(mail) }),
  ]);
  expect(sentTo(ann).length).toBeGreaterThan(0);
  expect(sentTo(ann).length).toBeLessThanOrEqual(mailsMax);
});

test('nor does a responder that lets an hour pass get more of a rule', async () => {
  const savedReplyId = await makeText(owner);
  await makeRule(owner, {
    trigger: inbound,
    conditions: anybody,
    actions: { reply: { savedReplyId, to: 'requester' } },
  });
  let hours = 0;
  await correspond(post, letter(ann, ours), () => {
    if (++hours > 12) return [];
    house.clock.advance(3_600_001);
    return [letter(ann, ours, { headers: { Subject: 'Out of office' } })];
  });
  expect(sentTo(ann)).toHaveLength(mailsMax);
});

test('a peer whose address has another number each time gets three mails at most', async () => {
  await makeTalkative(owner);
  let number = 7;
  await correspond(post, letter(`robot${number}@peer.example`, ours), () => [
    letter(`robot${++number}@peer.example`, ours, { headers: { Subject: `Report ${number}` } }),
  ]);
  expect(post.sent.length).toBeGreaterThan(0);
  expect(post.sent.length).toBeLessThanOrEqual(mailsMax);
});

test('the bounce of a rule’s mail gets no mail', async () => {
  await makeTalkative(owner);
  await correspond(post, letter(ann, ours), (mail) => [
    {
      ...{ from: '', to: [ours] },
      raw: [
        ...['From: Mail Delivery System <MAILER-DAEMON@example.org>', `To: ${ours}`, 'Subject: Undelivered'],
        ...['Message-ID: <bounce@example.org>', `In-Reply-To: ${headerOf(mail, 'Message-ID')}`],
        ...['Content-Type: multipart/report; report-type=delivery-status; boundary=b', '', '--b'],
        ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.org', ''],
        ...[`Final-Recipient: rfc822; ${ann}`, 'Action: failed', 'Status: 5.1.1', '', '--b'],
        ...['Content-Type: text/rfc822-headers', '', `Message-ID: ${headerOf(mail, 'Message-ID')}`, '', '--b--', ''],
      ].join('\r\n'),
    },
  ]);
  expect(sentTo(ann).length).toBeGreaterThan(0);
  expect(post.sent.length).toBeLessThanOrEqual(mailsMax);
  expect(post.sent.map(({ to }) => to)).toEqual(post.sent.map(() => [ann]));
});

test('two rules that answer each other’s mails end after three', async () => {
  const savedReplyId = await makeText(owner);
  const actions = { reply: { savedReplyId, to: 'requester' } };
  const trigger = { event: 'message.added', by: ['machine', 'customer'] };
  for (const name of ['A', 'B']) await makeRule(owner, { name, trigger, conditions: anybody, actions, onRules: true });
  await correspond(post, letter(ann, ours), () => []);
  expect(post.sent.length).toBeGreaterThan(0);
  expect(post.sent.length).toBeLessThanOrEqual(mailsMax);
  const [{ id }] = await ticketsOf(owner);
  expect((await ticketOf(owner, id)).messages).toHaveLength(1 + post.sent.length);
  expect((await runsOf(owner, id)).length).toBeLessThan(10);
});
