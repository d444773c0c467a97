import { describe, expect, test } from 'vitest';
import { judgeByResults, type ResultsAuthor } from './authentication-results.ts';
import { parseMail } from './parse.ts';

async function judge(author: ResultsAuthor, lines: string[], fromDomain = 'customer.test') {
  const { headers } = await parseMail(Buffer.from(`${lines.join('\r\n')}\r\nFrom: bob@${fromDomain}\r\n\r\nHello`));
  return judgeByResults(headers, author, fromDomain);
}
const field = (value: string) => `Authentication-Results: ${value}`;
const none = { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' };

describe('Gmail’s results', () => {
  const received = 'Received: by 2002:a05:6402:1a:b0:5d0:1234 with SMTP id x; Mon, 2 Mar 2026 02:00:00 -0800 (PST)';
  const gmail = (results: string) =>
    judge('gmail', [received, 'Return-Path: <bob@customer.test>', field(`mx.google.com;\r\n       ${results}`)]);

  test('are adopted', async () => {
    const spf =
      'spf=pass (google.com: domain of bob@customer.test designates 9.9.9.9 as permitted sender) ' +
      'smtp.mailfrom=bob@customer.test';
    const dkim = 'dkim=pass header.i=@customer.test header.s=s1 header.b="AbC+/d=";\r\n       ';
    expect(
      await gmail(`${dkim}${spf};\r\n       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=customer.test`),
    ).toEqual({
      verdict: 'pass',
      spf: 'pass',
      dkim: 'pass',
      dmarc: 'pass',
    });
    expect(
      await gmail(
        'spf=softfail smtp.mailfrom=x@y.test; dmarc=fail (p=NONE sp=NONE dis=NONE) header.from=customer.test',
      ),
    ).toEqual({
      verdict: 'fail',
      spf: 'softfail',
      dkim: 'none',
      dmarc: 'fail',
    });
  });

  test('for a domain without DMARC count for its whole organisation', async () => {
    expect(await gmail('dkim=pass header.i=@mail.customer.test header.s=x')).toMatchObject({ verdict: 'pass' });
    expect(await gmail('spf=pass smtp.mailfrom=bounce@customer.test')).toMatchObject({ verdict: 'pass' });
    expect(await gmail('dkim=pass header.i=@attacker.test; spf=pass smtp.mailfrom=x@attacker.test')).toMatchObject({
      verdict: 'none',
      dkim: 'none',
    });
    expect(await gmail('dmarc=pass header.from=attacker.test')).toMatchObject({ verdict: 'none', dmarc: 'none' });
  });

  test('count only where they are the topmost', async () => {
    const forged = field('mx.google.com; dmarc=pass header.from=customer.test');
    expect(await judge('gmail', [field('mx.google.com; dmarc=fail header.from=customer.test'), forged])).toMatchObject({
      verdict: 'fail',
    });
    expect(await judge('gmail', [field('relay.attacker.test; spf=none'), forged])).toEqual(none);
    expect(
      await judge('gmail', [field('spf=pass smtp.mailfrom=customer.test; dmarc=pass header.from=customer.test')]),
    ).toEqual(none);
    expect(await judge('gmail', [])).toEqual(none);
  });

  test.each([
    'spf=pass (google.com: domain of "a) dmarc=pass header.from=customer.test (b"@attacker.test ' +
      'designates 8.8.8.8) smtp.mailfrom=x@attacker.test',
    'spf=pass (domain of "x; dmarc=pass header.from=customer.test"@attacker.test) ' +
      'smtp.mailfrom="x; dmarc=pass header.from=customer.test"@attacker.test',
    'spf=pass smtp.mailfrom="x; dmarc=pass header.from=customer.test; y"@attacker.test',
    'spf=fail (note (x) dmarc=pass header.from=customer.test) smtp.mailfrom=x@attacker.test',
    'dkim=fail header.i=@customer.test; dkim=pass header.i=@attacker.test',
    'dmarc=pass header.from=customer.test; dmarc=pass header.from=customer.test',
    'dmarc=pass header.from=customer.test (left open',
  ])('ignore results that the sender wrote: %s', async (results) => {
    expect((await gmail(results)).verdict).toBe('none');
  });

  test('still fail a mail that adds its own text to them', async () => {
    const injected =
      'spf=pass (domain of "a) dmarc=pass (b"@attacker.test); dmarc=fail (p=REJECT) header.from=customer.test';
    expect(await gmail(injected)).toMatchObject({ verdict: 'fail', dmarc: 'fail' });
    const odd = ['Return-Path: <"a b"@attacker.test>', field('mx.google.com; dmarc=fail header.from=customer.test')];
    expect(await judge('gmail', odd)).toMatchObject({ verdict: 'fail' });
  });

  test('excuse only a mail that a trusted forwarder changed', async () => {
    const seal = (domain: string) => [
      `ARC-Seal: i=1; a=rsa-sha256; d=${domain}; s=arc; cv=none; b=AAAA`,
      'ARC-Authentication-Results: i=1; mx.google.com; dmarc=pass (p=NONE) header.from=customer.test',
    ];
    const results = field('mx.google.com; arc=pass (i=1 dmarc=pass); dmarc=fail header.from=customer.test');
    expect(await judge('gmail', [results, ...seal('google.com')])).toMatchObject({ verdict: 'none', dmarc: 'fail' });
    expect(await judge('gmail', [results, ...seal('attacker.test')])).toMatchObject({ verdict: 'fail' });
    expect(await judge('gmail', [results.replace('arc=pass', 'arc=fail'), ...seal('google.com')])).toMatchObject({
      verdict: 'fail',
    });
  });
});

describe('Exchange Online’s results', () => {
  const exchange = (results: string, ...others: string[]) => judge('exchange', [field(results), ...others]);

  test('are adopted without an authserv-id', async () => {
    const passed =
      'spf=pass (sender IP is 9.9.9.9)\r\n smtp.mailfrom=customer.test; ' +
      'dkim=pass (signature was verified)\r\n header.d=customer.test;' +
      'dmarc=pass action=none\r\n header.from=customer.test;compauth=pass reason=100';
    expect(await exchange(passed)).toEqual({ verdict: 'pass', spf: 'pass', dkim: 'pass', dmarc: 'pass' });
    const failed = passed.replaceAll('=pass', '=fail').replace('reason=100', 'reason=001');
    expect(await exchange(failed)).toMatchObject({ verdict: 'fail', dmarc: 'fail' });
    const older =
      'spf=pass (sender IP is 9.9.9.9) smtp.mailfrom=customer.test; receiver.test; ' +
      'dkim=none (message not signed) header.d=none;receiver.test; ' +
      'dmarc=bestguesspass action=none header.from=customer.test;';
    expect(await exchange(older)).toMatchObject({ verdict: 'pass', spf: 'pass' });
    expect(await exchange(older.replace('bestguesspass', 'none').replace('spf=pass', 'spf=none'))).toMatchObject({
      verdict: 'none',
    });
  });

  test('excuse a mail that a trusted forwarder changed', async () => {
    const results = 'dmarc=fail action=none header.from=customer.test;compauth=pass reason=130';
    expect(await exchange(results)).toMatchObject({ verdict: 'none', dmarc: 'fail' });
    expect(await exchange(results.replace('130', '703'))).toMatchObject({ verdict: 'fail' });
  });

  test('count only where they are the topmost', async () => {
    const forged = field('dmarc=pass action=none header.from=customer.test');
    expect(
      await exchange('spf=fail smtp.mailfrom=x; dmarc=fail action=none header.from=customer.test', forged),
    ).toMatchObject({
      verdict: 'fail',
    });
    expect(await exchange('mx.attacker.test; dmarc=pass header.from=customer.test', forged)).toEqual(none);
  });
});

describe('the results of our own relay', () => {
  const relay = (...lines: string[]) => judge({ authservId: 'mx.example.org' }, lines);

  test('count when they have its name, in one field or several', async () => {
    expect(
      await relay(field('mx.example.org (opendmarc) 1; dmarc=pass (p=none) header.from=customer.test')),
    ).toMatchObject({
      verdict: 'pass',
    });
    expect(
      await relay(
        field('MX.example.org; dmarc=fail header.from=customer.test'),
        field('mx.example.org; dkim=pass header.d=attacker.test'),
        field('mx.example.org; spf=none smtp.helo=x; spf=pass smtp.mailfrom=x@attacker.test'),
      ),
    ).toEqual({ verdict: 'fail', spf: 'pass', dkim: 'none', dmarc: 'fail' });
    expect(await relay(field('mx.example.org; none'))).toEqual(none);
  });

  test('do not count when another server wrote them', async () => {
    const forged = field('mx.example.org; dmarc=pass header.from=customer.test');
    expect(await relay(field('mx.attacker.test; dmarc=pass header.from=customer.test'))).toEqual(none);
    const own = field('mx.example.org; spf=none smtp.mailfrom=x@y.test');
    expect(await relay(own, 'Received: from x by y; Mon, 2 Mar 2026 02:00:00 -0800', forged)).toEqual(none);
    expect(await relay(field('mx.example.org; dmarc=fail header.from=customer.test'), forged)).toMatchObject({
      verdict: 'fail',
    });
  });
});
