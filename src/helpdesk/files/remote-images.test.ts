import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const names: Record<string, string[]> = {
  'pictures.example': ['127.0.0.1'],
  'inside.example': ['10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
};
const options = { resolveName: async (name: string) => names[name] ?? [] };
const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' }, options);

let server: Server;
let asked: IncomingMessage[] = [];
let owner: Person;
let at: (path: string, host?: string) => string;

const answers: Record<string, (answer: ServerResponse) => unknown> = {
  '/lamp.png': (answer) => answer.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b' }).end(png),
  '/lamp.svg': (answer) => answer.writeHead(200, { 'content-type': 'image/svg+xml' }).end(svg),
  '/page.png': (answer) => answer.writeHead(200, { 'content-type': 'image/png' }).end('<script>alert(1)</script>'),
  '/large.png': (answer) => answer.writeHead(200).end(Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)])),
  '/moved': (answer) => answer.writeHead(302, { location: '/lamp.png' }).end(),
  '/inside': (answer) => answer.writeHead(302, { location: 'http://inside.example/lamp.png' }).end(),
  '/slow.png': (answer) => setTimeout(() => answer.writeHead(200).end(png), 200),
  '/round': (answer) => answer.writeHead(302, { location: '/round' }).end(),
};

beforeAll(async () => {
  server = createServer((request, answer) => {
    asked.push(request);
    const reply = answers[request.url ?? ''] ?? (() => answer.writeHead(404).end());
    reply(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  at = (path, host = 'pictures.example') => `http://${host}:${port}${path}`;
});
afterAll(() => server?.close());
beforeEach(async () => {
  asked = [];
  owner = await makeOwner(house);
});

/** Delivers a mail with these pictures and returns its message. */
async function messageWith(...addresses: string[]): Promise<any> {
  const pictures = addresses.map((address) => `<img src="${address}">`).join('');
  const headers = { 'Content-Type': 'text/html' };
  await ingest(house, owner, [mailOf({ headers, body: `<p>See ${pictures}</p>` })]);
  const [{ id }] = (await owner.call('GET', '/tickets')).body;
  return (await ticketOf(owner, id)).messages.at(-1);
}

/** Signed addresses contain the public address instead of the test server's. */
const show = (url: string) => fetch(`${house.url}${new URL(url).pathname}${new URL(url).search}`);
const statusOf = async (address: string) => (await show((await messageWith(address)).remoteImages[0].url)).status;

describe('a picture on another server', () => {
  test('is shown by a signed address, with the type that its bytes reveal', async () => {
    const address = at('/lamp.png');
    const message = await messageWith(address, address, 'cid:x');
    expect(message.remoteImages).toEqual([{ address, url: expect.stringContaining('/v1/remote-images/') }]);
    expect(message.bodyHtml).toContain(`data-src="${address}"`);
    expect(asked).toEqual([]);
    const shown = await show(message.remoteImages[0].url);
    expect(shown.status).toBe(200);
    expect(Buffer.from(await shown.arrayBuffer()).equals(png)).toBe(true);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, max-age=600, immutable',
    });
    expect(shown.headers.get('set-cookie')).toBeNull();
    const [{ headers }] = asked as [IncomingMessage];
    expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
  });

  test('is fetched once for concurrent readers', async () => {
    const { url } = (await messageWith(at('/slow.png'))).remoteImages[0];
    const shown = await Promise.all(Array.from({ length: 16 }, () => show(url)));
    expect(shown.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(asked).toHaveLength(1);
  });

  test('is fetched once a week, and its bytes are deleted with its row', async () => {
    const { url } = (await messageWith(at('/lamp.png'))).remoteImages[0];
    await show(url);
    expect((await show(url)).status).toBe(200);
    expect(asked).toHaveLength(1);
    const sweep = async () => {
      await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
      await house.drain();
    };
    await house.app.db.tx((tx) =>
      tx.run(sql`update remote_images set fetched_at = ${earlier(sql`fetched_at`, '6 days 23 hours')}`),
    );
    await sweep();
    await show(url);
    expect(asked).toHaveLength(1);
    await house.app.db.tx((tx) =>
      tx.run(sql`update remote_images set fetched_at = ${earlier(sql`fetched_at`, '1 hour')}`),
    );
    await sweep();
    expect(await house.app.db.rows(sql`select workspace_id from loose_blobs`)).toContainEqual({
      workspace_id: owner.workspaceId,
    });
    await show(url);
    expect(asked).toHaveLength(2);
  });

  test('is forgotten with the message, once that is redacted, and stays for other messages', async () => {
    const message = await messageWith(at('/lamp.png'), at('/slow.png'));
    const kept = async () => {
      const rows = await house.app.db.rows(sql`
        select address_key from remote_images where workspace_id = ${owner.workspaceId}`);
      return rows.length;
    };
    const { remoteImages } = await messageWith('https://other.example/a.png', at('/slow.png'));
    for (const { url } of message.remoteImages) expect((await show(url)).status).toBe(200);
    expect(await kept()).toBe(2);
    await owner.call('POST', `/tickets/${message.ticketId}/messages/${message.id}/redact`, {});
    expect(await kept()).toBe(0);
    expect((await show(remoteImages[1].url)).status).toBe(200);
    expect(await kept()).toBe(1);
  });

  test.each(['/lamp.svg', '/page.png', '/large.png', '/nothing', '/round', '/inside'])(
    'is not shown where it is none, too large or led elsewhere: %s',
    async (path) => {
      expect(await statusOf(at(path))).toBe(404);
    },
  );

  test('is found through redirects', async () => {
    expect(await statusOf(at('/moved'))).toBe(200);
  });

  test.each(['inside.example', 'metadata.example', '192.168.0.1', '[::1]', 'localhost', 'nowhere.example'])(
    'is not asked for in a network of ours: %s',
    async (host) => {
      expect(await statusOf(at('/lamp.png', host))).toBe(404);
      expect(asked).toEqual([]);
    },
  );

  test('is fetched only for signed addresses that have not expired', async () => {
    const url = new URL((await messageWith(at('/lamp.png'))).remoteImages[0].url);
    const other = await makeOwner(house);
    for (const bent of [
      url.href.replace('lamp.png', 'lamp.svg'),
      url.href.replace(owner.workspaceId, other.workspaceId),
      url.href.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 600}`),
    ])
      expect((await show(bent)).status).toBe(404);
    expect(asked).toEqual([]);
    house.clock.advance(21 * 60_000);
    const expired = await show(url.href);
    expect(await expired.json()).toMatchObject({ key: 'attachment.url_expired' });
  });
});

test('a contact’s pictures are remembered to be shown', async () => {
  const before = await messageWith(at('/lamp.png'));
  expect(before.showsRemoteImages).toBe(false);
  const [contact] = (await owner.call('GET', '/contacts')).body;
  expect(contact.showsRemoteImages).toBe(false);
  const path = `/contacts/${contact.id}/remote-images`;
  expect((await owner.call('PUT', path, { mode: 'always' })).body).toEqual({ ...contact, showsRemoteImages: true });
  expect((await ticketOf(owner, before.ticketId)).messages[0].showsRemoteImages).toBe(true);
  expect((await owner.call('PUT', path, { mode: 'ask' })).body).toEqual(contact);
  expect((await (await makeOwner(house)).call('PUT', path, { mode: 'always' })).status).toBe(404);
});
