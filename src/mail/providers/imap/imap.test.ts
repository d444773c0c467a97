import { afterAll, expect, test } from 'vitest';
import { openImapEmulator } from '../../../../emulators/imap.ts';
import { openImap } from './imap.ts';

const server = await openImapEmulator({ isPlain: true });
server.addAccount('help@shop.example', 'secret');
const provider = openImap({ reach: async () => ['127.0.0.1'] });
afterAll(() => server.close());

test.each([
  ['outlook.office365.com', 'password_not_taken'],
  ['imap.gmail.com', 'password_not_taken'],
  ['imap.shop.example', 'imap_login'],
  ['imap.notgmail.com.example', 'imap_login'],
])('a password that %s refuses is answered %s', async (host, code) => {
  const end = (port: number) => ({ host, port, security: 'none' as const });
  const login = {
    address: 'help@shop.example',
    imap: end(server.ports.imap),
    smtp: end(server.ports.submission),
    username: 'help@shop.example',
  };
  await expect(provider.probe({ ...login, secret: { password: 'wrong' } })).rejects.toMatchObject({
    kind: 'unauthorized',
    code,
  });
  expect(await provider.probe({ ...login, secret: { password: 'secret' } })).toMatchObject({ sentPath: 'Sent' });
});
