import { expect, test } from 'vitest';
import { discoverServers } from './discover.ts';

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
  expect(await discoverServers(resolve, 'mia@GMX.de')).toMatchObject([
    { source: 'known', provider: 'imap', imap: { host: 'imap.gmx.net' }, smtp: { host: 'mail.gmx.net' } },
  ]);
  expect(await discoverServers(resolve, 'mia@gmail.com')).toEqual([
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
  expect(await discoverServers(resolve, 'help@shop.example')).toMatchObject([
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
  const sources = (await discoverServers(resolve, 'help@quiet.example')).map(({ source }) => source);
  expect(sources).toEqual(['guess', 'guess']);
});

test('a domain in the name of another is not taken for it', async () => {
  const resolve = records({ 'MX shop.example': [{ exchange: 'mx.notgmx.net', priority: 0 }] });
  expect((await discoverServers(resolve, 'help@shop.example')).map(({ source }) => source)).not.toContain('mx');
});
