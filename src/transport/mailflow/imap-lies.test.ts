/** A proxy falsifies the answers of an IMAP server: an odd word costs neither a mailbox nor its password. */
import { type AddressInfo, createServer, connect as openConnection } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../ground/database/sql.ts';

const { house, server, openDesk, subjectsOf } = await useImapMail();

/** Changes the server's answers. Gets the client's last command, too. */
type Bend = (said: string, command: string) => string;
let bend: Bend | undefined;
const between = createServer((client) => {
  const up = openConnection(server.ports.imap, '127.0.0.1');
  let command = '';
  client.on('data', (bytes) => {
    command = bytes.toString('latin1');
    up.write(bytes);
  });
  up.on('data', (bytes) => {
    const said = bytes.toString('latin1');
    client.write(Buffer.from(bend?.(said, command) ?? said, 'latin1'));
  });
  for (const [one, other] of [
    [client, up],
    [up, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
});
await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
afterAll(() => between.close());

beforeEach(() => {
  bend = undefined;
});

const openBent = () => {
  const { port } = between.address() as AddressInfo;
  return openDesk({ imap: { host: '127.0.0.1', port, security: 'none' } });
};
type Desk = Awaited<ReturnType<typeof openBent>>;
const statusOf = async ({ id }: Desk) =>
  (await house.app.db.one<{ status: string }>(sql`select status from mailboxes where id = ${id}`)).status;

const ofSecond =
  (from: RegExp, to: string): Bend =>
  (said, command) =>
    /UID FETCH 2 /.test(command) ? said.replace(from, to) : said;

test.each<[string, Bend, string[]]>([
  ['no bytes', ofSecond(/BODY\[\](<0>)? \{\d+\}\r\n[\s\S]*?(\)\r\n\S+ OK)/, 'BODY[]<0> NIL$2'), []],
  ['a date that is none', ofSecond(/INTERNALDATE "[^"]*"/, 'INTERNALDATE "99-Foo-2026 99:99:99 +0000"'), ['Odd']],
])('a mail with %s keeps no other mail', async (_what, lie, taken) => {
  const desk = await openBent();
  server.deliver(desk.address, { raw: mailOf('A') });
  await desk.read();
  bend = lie;
  server.deliver(desk.address, { raw: mailOf('Odd') });
  server.deliver(desk.address, { raw: mailOf('Z') });
  await desk.read();
  expect(await subjectsOf(desk)).toEqual(['A', ...taken, 'Z']);
  expect(await statusOf(desk)).toBe('active');
});

test.each(['[ALERT] ', ''])('a server with "%stoo many connections" does not call the password wrong', async (code) => {
  const desk = await openBent();
  server.dropConnections();
  house.clock.advance(200_000);
  bend = (said, command) =>
    /LOGIN|AUTHENTICATE|^[A-Za-z0-9+/=]+\r\n$/.test(command)
      ? said.replace(/^(\S+) OK [^\r\n]*/m, `$1 NO ${code}Too many simultaneous connections. (Failure)`)
      : said;
  await desk.read();
  expect(await statusOf(desk)).toBe('active');
});
