import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { useAnswers } from '../../../test/worlds/use-answers.ts';
import { keysOf, readSender } from '../../helpdesk/spam/sender.ts';

const { answeredTicket, house, receive } = useAnswers();
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const block = (sender: string) => owner.call('POST', '/blocked-senders', { sender });
const spamOf = async (): Promise<any[]> => (await owner.call('GET', '/tickets?spam=true&limit=500')).body;
const mailFrom = (From: string, more: Record<string, string> = {}) => mailOf({ headers: { From, ...more } });

describe('mail of a blocked sender, written in another way', () => {
  test.each([
    'ANN@EXAMPLE.ORG',
    '=?utf-8?q?Somebody_else?= <Ann@Example.org>',
    '"eva@home.example" <ann@example.org>',
    'ann@example.org (eva@home.example)',
    'Ann <"ann"@example.org>',
    'Ann <ann+a+b@example.org>',
    'Ann <ann@example.org.>',
    'ann@example.org, eva@home.example',
    '<ann@shop.bücher.example>',
    'Ann <ann@XN--BCHER-KVA.EXAMPLE>',
  ])('%s', async (from) => {
    await block('ann@example.org');
    await block('Bücher.example');
    await ingest(house, owner, [mailFrom(from), mailFrom('Eva <eva@home.example>', { 'Reply-To': 'ann@example.org' })]);
    expect([(await spamOf()).length, (await ticketsOf(owner)).length]).toEqual([1, 1]);
  });

  test('is spam exactly if its requester is on the list, whatever From says', async () => {
    const entries = ['ann@example.org', 'offers.example', 'bücher.example', 'sam+x@home.example'];
    for (const entry of entries) await block(entry);
    const listed = new Set(entries.map((entry) => readSender(entry)?.key));
    const local = fc.constantFrom('ann', 'ANN', '"ann"', 'ann+1', 'sam', 'sam+x', 'Sam+X', '+', 'a..b', '');
    const domain = fc.constantFrom(
      ...['example.org', 'EXAMPLE.org.', 'sub.example.org', 'offers.example', 'x.Offers.example', 'notoffers.example'],
      ...['bücher.example', 'xn--bcher-kva.example', 'home.example', '[127.0.0.1]', 'offers。example', 'localhost'],
    );
    const name = fc.constantFrom('', 'Ann', '"ann@example.org"', '=?utf-8?b?QW5u?=', '(x)', 'a@offers.example,');
    const from = fc.tuple(name, local, domain).map(([shown, part, host]) => `${shown} <${part}@${host}>`.trim());
    await fc.assert(
      fc.asyncProperty(fc.array(from, { minLength: 1, maxLength: 8 }), async (writers) => {
        await ingest(
          house,
          owner,
          writers.map((writer) => mailFrom(writer)),
        );
      }),
      { numRuns: 25 },
    );
    const isListed = ({ requester }: any) =>
      requester !== null && keysOf(requester.email).some((key) => listed.has(key));
    const [inbox, spam] = [(await owner.call('GET', '/tickets?archived=any&limit=500')).body, await spamOf()];
    expect(inbox.filter(isListed)).toEqual([]);
    expect(spam.filter((ticket) => !isListed(ticket))).toEqual([]);
    expect([inbox.length > 0, spam.length > 0]).toEqual([true, true]);
  });
});

test('a bounce of a blocked mail server still reaches its answer', async () => {
  const { owner: asker, id, sent } = await answeredTicket();
  await asker.call('POST', '/blocked-senders', { sender: 'example.org' });
  const lines = [
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.org',
    '',
    'Final-Recipient: rfc822; ann@example.org',
    'Action: failed',
    'Status: 5.1.1',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${sent.rfcMessageId}`,
    '--b--',
  ];
  const type = 'multipart/report; report-type=delivery-status; boundary=b';
  const headers = { From: 'mailer-daemon@example.org', Subject: 'Undelivered', 'Content-Type': type };
  await receive(asker, mailOf({ headers, body: lines.join('\r\n') }), { from: '', to: [sent.replyTo] });
  expect((await asker.call('GET', '/tickets?spam=true')).body).toEqual([]);
  const { messages } = (await asker.call('GET', `/tickets/${id}`)).body;
  expect(messages.find((message: any) => message.id === sent.messageId).delivery).toMatchObject({ status: 'bounced' });
  // The same person's own words become spam, although they answer.
  await ingest(house, asker, [mailOf({ headers: { 'In-Reply-To': sent.rfcMessageId, Subject: 'Re: Printer' } })]);
  expect((await asker.call('GET', '/tickets?spam=true')).body).toMatchObject([{ spamReason: 'blocked_domain' }]);
});
