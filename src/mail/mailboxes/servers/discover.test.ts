import { expect, test, vi } from 'vitest';
import { openPublicWeb } from '../../../ground/platform/public-web.ts';
import { readAutoconfig } from './autoconfig.ts';
import { discoverServers } from './discover.ts';

const noWeb = async () => undefined;
const described = (kind: string, host: string, port: number, socket: string) =>
  `<${kind === 'imap' ? 'incoming' : 'outgoing'}Server type="${kind}"><hostname>${host}</hostname><port>${port}</port>
   <socketType>${socket}</socketType></${kind === 'imap' ? 'incoming' : 'outgoing'}Server>`;
const configOf = (...servers: string[]) =>
  `<clientConfig version="1.1"><emailProvider id="x">${servers.join('')}</emailProvider></clientConfig>`;

const records = (found: Record<string, object[]>) => async (name: string, type: string) => {
  const rows = found[`${type} ${name}`];
  if (rows === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
  return rows as never; // The answers of node:dns, whose types depend on the record.
};

test('a well-known provider is named without a question', async () => {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return [];
  };
  expect(await discoverServers({ resolveDns: resolve, publicWeb: noWeb }, 'mia@GMX.de')).toMatchObject([
    { source: 'known', provider: 'imap', imap: { host: 'imap.gmx.net' }, smtp: { host: 'mail.gmx.net' } },
  ]);
  expect(await discoverServers({ resolveDns: resolve, publicWeb: noWeb }, 'mia@gmail.com')).toEqual([
    { source: 'known', provider: 'mail-b', imap: null, smtp: null },
  ]);
  expect(asked).toEqual([]);
});

test('SRV records come first, by priority, then the provider that receives the mail, then guesses', async () => {
  const resolve = records({
    'SRV _imaps._tcp.shop.example': [
      { name: 'second.shop.example', port: 993, priority: 20 },
      { name: 'first.shop.example', port: 1993, priority: 10 },
    ],
    'SRV _submission._tcp.shop.example': [{ name: 'out.shop.example', port: 587, priority: 0 }],
    'MX shop.example': [{ exchange: 'shop-example.mail.protection.outlook.com', priority: 0 }],
  });
  expect(await discoverServers({ resolveDns: resolve, publicWeb: noWeb }, 'help@shop.example')).toMatchObject([
    {
      source: 'srv',
      imap: { host: 'first.shop.example', port: 1993, security: 'tls' },
      smtp: { host: 'out.shop.example', port: 587, security: 'starttls' },
    },
    { source: 'mx', provider: 'mail-a', imap: null },
    { source: 'guess', imap: { host: 'imap.shop.example' } },
    { source: 'guess', imap: { host: 'mail.shop.example' } },
  ]);
});

test('a domain that says it has no such service, or says nothing, leaves the guesses', async () => {
  const none = [{ name: '', port: 0, priority: 0 }];
  const resolve = records({ 'SRV _imaps._tcp.quiet.example': none, 'SRV _submissions._tcp.quiet.example': none });
  const sources = (await discoverServers({ resolveDns: resolve, publicWeb: noWeb }, 'help@quiet.example')).map(
    ({ source }) => source,
  );
  expect(sources).toEqual(['guess', 'guess']);
});

test.each([
  ['aol.de', 'mx-aol.mail.gm0.yahoodns.net', 'imap.aol.com'],
  ['yahoo.de', 'mx-eu.mail.am0.yahoodns.net', 'imap.mail.yahoo.com'],
  ['shop.example', 'smtpin.rzone.de', 'imap.strato.de'],
  ['shop.example', 'mx00.schlund.de', 'imap.ionos.de'],
])('mail of %s that %s receives is read at %s', async (domain, exchange, host) => {
  const resolve = records({ [`MX ${domain}`]: [{ exchange, priority: 10 }] });
  const [first] = await discoverServers({ resolveDns: resolve, publicWeb: noWeb }, `help@${domain}`);
  expect(first).toMatchObject({ source: 'mx', imap: { host, port: 993, security: 'tls' } });
});

test('a domain in the name of another is not taken for it', async () => {
  const resolve = records({ 'MX shop.example': [{ exchange: 'mx.notgmx.net', priority: 0 }] });
  expect(
    (await discoverServers({ resolveDns: resolve, publicWeb: noWeb }, 'help@shop.example')).map(({ source }) => source),
  ).not.toContain('mx');
});

test('a file for mail programs names servers, and is asked for by https alone', async () => {
  const asked: string[] = [];
  const publicWeb = async (address: string) => {
    asked.push(address);
    const xml = configOf(
      described('imap', 'plain.shop.example', 143, 'plain'),
      described('imap', 'in.shop.example', 993, 'SSL'),
      described('smtp', 'OUT.shop.example', 587, 'STARTTLS'),
    );
    return address.includes('.well-known')
      ? { status: 200, bytes: Buffer.from(xml) }
      : { status: 404, bytes: Buffer.of() };
  };
  const found = await discoverServers({ resolveDns: records({}), publicWeb }, 'help@shop.example');
  expect(found[0]).toEqual({
    source: 'autoconfig',
    provider: 'imap',
    imap: { host: 'in.shop.example', port: 993, security: 'tls' },
    smtp: { host: 'out.shop.example', port: 587, security: 'starttls' },
  });
  expect(asked).toEqual([
    'https://autoconfig.shop.example/mail/config-v1.1.xml',
    'https://shop.example/.well-known/autoconfig/mail/config-v1.1.xml',
  ]);
});

test('a domain whose names lead into a private network is asked for no file', async () => {
  const asked: string[] = [];
  const publicWeb = openPublicWeb([], async (name) => {
    asked.push(name);
    return ['10.0.0.7'];
  });
  const found = await discoverServers({ resolveDns: records({}), publicWeb }, 'help@shop.example');
  expect(found.map(({ source }) => source)).toEqual(['guess', 'guess']);
  expect(asked.toSorted()).toEqual(['autoconfig.shop.example', 'shop.example']);
});

test('a name server that is silent leaves the file for mail programs, after 4 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const xml = configOf(
      described('imap', 'in.shop.example', 993, 'SSL'),
      described('smtp', 'out.shop.example', 465, 'SSL'),
    );
    const parts = {
      resolveDns: () => new Promise<never>(() => undefined),
      publicWeb: async () => ({ status: 200, bytes: Buffer.from(xml) }),
    };
    const found = discoverServers(parts, 'help@shop.example');
    await vi.advanceTimersByTimeAsync(4_000);
    expect((await found).map(({ source }) => source)).toEqual(['autoconfig', 'guess', 'guess']);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['no XML', '{}'],
  ['no closing tag', '<clientConfig><emailProvider>'],
  [
    'no encryption',
    configOf(described('imap', 'in.example.org', 143, 'plain'), described('smtp', 'out.example.org', 25, 'plain')),
  ],
  [
    'a host that is none',
    configOf(described('imap', 'a b', 993, 'SSL'), described('smtp', 'out.example.org', 465, 'SSL')),
  ],
  [
    'a port that is none',
    configOf(described('imap', 'in.example.org', 99_999, 'SSL'), described('smtp', 'out.example.org', 465, 'SSL')),
  ],
  ['an entity', '<!DOCTYPE x [<!ENTITY a "b">]><clientConfig>&a;</clientConfig>'],
])('a file with %s names none', (_what, xml) => {
  expect(readAutoconfig(xml)).toBeUndefined();
});
