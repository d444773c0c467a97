import { createHash } from 'node:crypto';
import { sealMessage } from 'mailauth/lib/arc/index.js';
import { describe, expect, test } from 'vitest';
import { dnsOf, senderDomain, signingKey } from '../../test/worlds/sender-domain.ts';
import { authenticateMail } from './authentication.ts';
import type { ResolveDns } from './dns.ts';
import { parseMail } from './parse.ts';

const strict = senderDomain('customer.test', { spf: 'v=spf1 ip4:9.9.9.9 -all', dmarc: 'v=DMARC1; p=reject' });
const plain = senderDomain('small.test', { spf: 'v=spf1 ip4:9.9.9.9 -all' });
const attacker = senderDomain('attacker.test', { spf: 'v=spf1 ip4:8.8.8.8 -all', dmarc: 'v=DMARC1; p=reject' });
// Public addresses, which stand for any server on the internet.
const good = { address: '9.9.9.9', helo: 'mx.customer.test' };
const bad = { address: '8.8.8.8', helo: 'evil.attacker.test' };
const mailOf = (from = 'bob@customer.test', headers: string[] = [], body = 'Hello\r\n') =>
  Buffer.from(
    [`From: Bob <${from}>`, 'To: support@example.com', 'Subject: The printer', ...headers, '', body].join('\r\n'),
  );

type Options = { client?: typeof good | null; envelopeFrom?: string; dns?: ResolveDns; millisecondsMax?: number };

async function verify(bytes: Buffer, options: Options = {}) {
  const { client = good, envelopeFrom = 'bob@customer.test', millisecondsMax = 5_000 } = options;
  const { headers, from } = await parseMail(bytes);
  const dns = options.dns ?? dnsOf(strict, plain, attacker).resolve;
  const mail = { bytes, headers, from: from?.email ?? '', envelopeFrom, client: client ?? undefined };
  return authenticateMail(mail, dns, { queriesMax: 60, millisecondsMax });
}

describe('a mail passes', () => {
  test('by SPF of the domain in From', async () => {
    expect(await verify(mailOf())).toEqual({ verdict: 'pass', spf: 'pass', dkim: 'none', dmarc: 'pass' });
  });

  test('by a DKIM signature of that domain, from any client', async () => {
    const signed = await strict.sign(mailOf());
    expect(await verify(signed, { client: bad, envelopeFrom: 'list@attacker.test' })).toEqual({
      verdict: 'pass',
      spf: 'pass',
      dkim: 'pass',
      dmarc: 'pass',
      signedFields: ['from', 'to', 'subject'],
    });
    expect(await verify(signed, { client: null })).toMatchObject({ verdict: 'pass', spf: 'none', dkim: 'pass' });
  });

  test('with line ends of any kind', async () => {
    const signed = await strict.sign(mailOf());
    const bare = Buffer.from(signed.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
    expect(await verify(bare, { client: null })).toMatchObject({ verdict: 'pass', dkim: 'pass' });
  });

  test('from a domain without DMARC by the same proofs', async () => {
    const mail = mailOf('ann@mail.small.test');
    expect(await verify(mail, { envelopeFrom: 'ann@small.test' })).toMatchObject({ verdict: 'pass', dmarc: 'none' });
    expect(await verify(await plain.sign(mail), { client: bad, envelopeFrom: '' })).toMatchObject({
      verdict: 'pass',
      dkim: 'pass',
      dmarc: 'none',
    });
  });
});

describe('a signature', () => {
  const relayed = { client: bad, envelopeFrom: 'evil@attacker.test' };
  const withLines = async (...lines: string[]) =>
    Buffer.concat([Buffer.from(lines.map((line) => `${line}\r\n`).join('')), await strict.sign(mailOf())]);

  test('proves no field that was added, and nothing more than SPF proves', async () => {
    const added = await withLines('Cc: evil@attacker.test', 'In-Reply-To: <known@id>', 'Reply-To: evil@attacker.test');
    const { verdict, signedFields } = await verify(added, relayed);
    expect([verdict, signedFields]).toEqual(['pass', ['from', 'to', 'subject']]);
    expect((await verify(added)).signedFields).toBeUndefined();
  });

  test.each([
    ['Subject: Re: The pump'],
    ['To: evil@attacker.test'],
    ['Cc: a@attacker.test', 'Cc: b@attacker.test'],
    ['Reply-To: a@attacker.test', 'REPLY-TO: b@attacker.test'],
    ['In-Reply-To: <a@b>', 'In-Reply-To : <c@d>'],
    ['References: <a@b>', 'References: <c@d>'],
    ['Message-ID: <a@b>', 'Message-ID: <c@d>'],
    ['Date: Mon, 2 Mar 2026 10:00:00 +0000', 'Date: Tue, 3 Mar 2026 10:00:00 +0000'],
    ['Sender: a@attacker.test', 'Sender: b@attacker.test'],
    ['Content-Type: multipart/mixed; boundary=x', 'Content-Type: text/plain'],
    ['Content-Transfer-Encoding: base64', 'Content-Transfer-Encoding: 7bit'],
  ])('proves nothing beside a repeated field: %s', async (...lines) => {
    expect(await verify(await withLines(...lines), relayed)).toMatchObject({ verdict: 'none', dkim: 'none' });
    expect(await verify(await withLines(...lines))).toMatchObject({ verdict: 'pass', spf: 'pass' });
  });

  test.each([
    [
      'a line without a name below a signed field',
      (text: string) => text.replace('support@example.com', 'support@example.com,\r\nevil@attacker.test'),
    ],
    [
      'a line that ends the header for a reader',
      (text: string) =>
        `From: Bob <bob@customer.test>\r\nCc: evil@attacker.test\r\n--x\r\n${text.replace(/From: .*\r\n/, '')}`,
    ],
    ['a line of carriage returns', (text: string) => `Cc: evil@attacker.test\r\n\r\r\n${text}`],
    ['thousands of other fields', (text: string) => `${'X-A: b\r\n'.repeat(2_100)}${text}`],
  ])('proves nothing when the inbox reads other fields: %s', async (_what, change) => {
    const text = (await strict.sign(mailOf())).toString('latin1');
    const { verdict } = await verify(Buffer.from(change(text), 'latin1'), relayed);
    expect(verdict).not.toBe('pass');
  });
});

describe('a tenant of a shared domain', () => {
  const tenants = [
    'evil.onmicrosoft.com',
    'evil.zendesk.com',
    'evil.freshdesk.com',
    'evil.atlassian.net',
    'evil.github.io',
  ];

  test.each(tenants)('passes no mail of another: %s', async (domain) => {
    const evil = senderDomain(domain, { spf: 'v=spf1 ip4:8.8.8.8 -all' });
    const from = `bob@${domain.replace('evil', 'victim')}`;
    const options = { client: bad, envelopeFrom: `x@${domain}`, dns: dnsOf(evil).resolve };
    expect(await verify(await evil.sign(mailOf(from)), options)).toMatchObject({ verdict: 'none', dkim: 'none' });
    expect(await verify(await evil.sign(mailOf(`bob@${domain}`)), options)).toMatchObject({ verdict: 'pass' });
  });

  test('passes none either where the service publishes DMARC, and the service itself does', async () => {
    const desk = senderDomain('zendesk.com', { dmarc: 'v=DMARC1; p=none' });
    const evil = senderDomain('evil.zendesk.com', { spf: 'v=spf1 ip4:8.8.8.8 -all' });
    const options = { client: bad, envelopeFrom: 'x@evil.zendesk.com', dns: dnsOf(desk, evil).resolve };
    const mail = mailOf('bob@victim.zendesk.com');
    expect(await verify(await evil.sign(mail), options)).toMatchObject({ verdict: 'fail' });
    expect(await verify(await desk.sign(mail), options)).toMatchObject({ verdict: 'pass' });
  });
});

describe('a mail fails', () => {
  const failed = { verdict: 'fail', dmarc: 'fail' };
  const forged = { client: bad, envelopeFrom: 'evil@attacker.test' };

  test.each(['2002:808:808::1', '2001:0:808:808::1', '64:ff9b::808:808', '64:ff9b:1::1', '203.0.113.9'])(
    'from a special address: %s',
    async (address) => {
      expect(await verify(mailOf(), { ...forged, client: { ...bad, address } })).toMatchObject(failed);
    },
  );

  test('whose From domain has DMARC but neither sent nor signed it', async () => {
    expect(await verify(mailOf(), forged)).toMatchObject({ ...failed, spf: 'pass' });
    expect(await verify(await attacker.sign(mailOf()), forged)).toMatchObject({ ...failed, dkim: 'none' });
    expect(await verify(mailOf(), { client: bad, envelopeFrom: '' })).toMatchObject(failed);
  });

  test('whose signed text has changed', async () => {
    const signed = (await strict.sign(mailOf())).toString('latin1').replace('Hello', 'Hullo');
    expect(await verify(Buffer.from(signed, 'latin1'), forged)).toMatchObject({ ...failed, dkim: 'neutral' });
  });

  test('whose signature covers only part of the body', async () => {
    const signed = await strict.sign(mailOf(), { bodyLength: 5 });
    const longer = Buffer.concat([signed, Buffer.from('Send money.\r\n')]);
    expect(await verify(longer, forged)).toMatchObject(failed);
  });

  test('with a second From beside the signed one', async () => {
    const signed = await strict.sign(mailOf());
    const two = Buffer.concat([Buffer.from('From: Boss <boss@customer.test>\r\n'), signed]);
    expect(await verify(two, forged)).toMatchObject(failed);
  });

  test('with signatures whose keys are unavailable, even after a leading empty line', async () => {
    const { resolve } = dnsOf(strict, attacker);
    const slow: ResolveDns = (name, type) => (name.includes('slow') ? new Promise(() => {}) : resolve(name, type));
    const bodyHash = createHash('sha256').update('Hello\r\n').digest('base64');
    const signature = (domain: string, selector: string) =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=${domain}; s=${selector}; h=from; bh=${bodyHash}; b=AAAA`;
    const headers = [signature('slow.attacker.test', 's1'), signature('customer.test', 'x'.repeat(64))];
    const mail = mailOf('bob@customer.test', headers);
    const options = { ...forged, dns: slow, millisecondsMax: 400 };
    expect(await verify(mail, options)).toMatchObject(failed);
    expect(await verify(Buffer.concat([Buffer.from('\r\n'), mail]), options)).toMatchObject(failed);
  });
});

describe('a mail gets no verdict', () => {
  test('when its domain publishes nothing', async () => {
    expect(await verify(mailOf('eve@nothing.test'), { client: bad, envelopeFrom: 'eve@nothing.test' })).toEqual({
      verdict: 'none',
      spf: 'none',
      dkim: 'none',
      dmarc: 'none',
    });
  });

  test('while DNS does not answer', async () => {
    const silent: ResolveDns = () => new Promise(() => {});
    expect(await verify(mailOf(), { dns: silent, millisecondsMax: 20 })).toMatchObject({ verdict: 'none' });
    const broken: ResolveDns = async () => {
      throw Object.assign(new Error('no server'), { code: 'ECONNREFUSED' });
    };
    expect(await verify(await strict.sign(mailOf()), { dns: broken })).toMatchObject({ verdict: 'none' });
  });

  test('when it is unsigned and nobody knows who handed it in, without a DNS query', async () => {
    const { resolve, asked } = dnsOf(strict);
    for (const client of [null, { address: 'unknown', helo: 'relay' }])
      expect(await verify(mailOf(), { client, dns: resolve })).toMatchObject({ verdict: 'none' });
    expect(asked).toEqual([]);
  });

  test('when a trusted forwarder changed it and vouches for it', async () => {
    const google = senderDomain('google.com');
    const { resolve } = dnsOf(strict, attacker, google);
    const results = (domain: string, sealer: string) =>
      sealMessage(mailOf(), {
        signingDomain: sealer,
        selector: 's1',
        privateKey: signingKey,
        cv: 'none',
        i: 1,
        authResults: `mx.google.com; dmarc=pass header.from=${domain}`,
      });
    const seal = async (domain: string, sealer: string) => Buffer.concat([await results(domain, sealer), mailOf()]);
    const options = { client: bad, envelopeFrom: 'evil@attacker.test', dns: resolve };
    expect(await verify(await seal('customer.test', 'google.com'), options)).toMatchObject({
      verdict: 'none',
      dmarc: 'fail',
    });
    expect(await verify(await seal('other.test', 'google.com'), options)).toMatchObject({ verdict: 'fail' });
    expect(await verify(await seal('customer.test', 'attacker.test'), options)).toMatchObject({ verdict: 'fail' });
    const changed = (await seal('customer.test', 'google.com')).toString('latin1').replace('Hello', 'Hullo');
    expect(await verify(Buffer.from(changed, 'latin1'), options)).toMatchObject({ verdict: 'fail' });
  });
});
