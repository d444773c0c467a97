import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { formWith, keptFiles } from '../../../test/harness/uploads.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { bodyLimitsDefault } from './body-limits.ts';

const quick = { ...bodyLimitsDefault, lookMs: 5 };
const mebibyte = 1024 * 1024;
const open: Socket[] = [];

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

type Sent = { method?: string; path: string; headers: Record<string, string | number>; body: string | Buffer };

/** Sends the whole text before it reads anything, as simple clients do. Then reads until the connection closes. */
async function exchange(url: string, { method = 'POST', path, headers, body }: Sent): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  open.push(socket);
  socket.pause();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\n${lines.join('')}\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(body, () => resolve());
  });
  return text(socket);
}

function faultOf(answer: string): { status: number; key: string; connection: string | undefined } {
  const [head = '', rest = ''] = answer.split('\r\n\r\n');
  const body = rest.slice(0, rest.lastIndexOf('}') + 1);
  return {
    status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]),
    key: JSON.parse(body).key,
    connection: /^connection: (\S+)/im.exec(head)?.[1],
  };
}

/** An upload of this form to a ticket. A client that breaks off sends only a part of the form. */
function uploadOf(person: Person, ticketId: string, form: Buffer, body = form): Sent {
  return {
    path: `/v1/workspaces/${person.workspaceId}/tickets/${ticketId}/attachments`,
    headers: {
      ...headersOf(person),
      'content-type': 'multipart/form-data; boundary=the-boundary',
      'content-length': form.length,
    },
    body,
  };
}

const session = '/v1/auth/session';
const json = { 'content-type': 'application/json' };
const timeout = { status: 408, key: 'request.timeout', connection: 'close' };

function headersOf({ token, workspaceId }: Person): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
}

describe('a body that stops arriving', () => {
  const house = useHouse({}, { bodyLimits: { ...quick, headersMsMax: 50, bodyMsMax: 50, fileGraceMs: 50 } });
  let owner: Person;
  beforeAll(async () => {
    owner = await makeOwner(house);
  });

  test('is refused on each of many connections of a caller who is not signed in', async () => {
    const silent = { path: session, headers: { ...json, 'content-length': 16_000 }, body: '{"provider":"local","x":"' };
    const answers = await Promise.all(Array.from({ length: 100 }, () => exchange(house.url, silent)));
    expect(new Set(answers.map((answer) => JSON.stringify(faultOf(answer))))).toEqual(
      new Set([JSON.stringify(timeout)]),
    );
  });

  test.each([
    ['a notification of a provider', '/v1/webhooks/mail-a', false],
    ['a signed-in request', '/tickets', true],
  ])('is refused if it is %s', async (_what, path, isSignedIn) => {
    const answer = await exchange(house.url, {
      path: isSignedIn ? `/v1/workspaces/${owner.workspaceId}${path}` : path,
      headers: { ...json, ...headersOf(owner), 'content-length': 100_000 },
      body: '{"subject":"x',
    });
    expect(faultOf(answer)).toEqual(timeout);
    expect(answer).toMatch(/^x-correlation-id: \S+/im);
  });

  test('is refused if it is a file, and leaves nothing on disk', async () => {
    const ticket = await owner.call('POST', '/tickets', { subject: 'Files', body: 'b' });
    const form = formWith('Content-Disposition: form-data; name="file"; filename="a.bin"', Buffer.alloc(100_000));
    const answer = await exchange(house.url, uploadOf(owner, ticket.body.id, form, form.subarray(0, 50_000)));
    expect(faultOf(answer)).toEqual(timeout);
    expect(await keptFiles(house)).toEqual([]);
  });

  test('is refused when the headers stop before the body begins', async () => {
    const socket = connect(Number(new URL(house.url).port), '127.0.0.1');
    open.push(socket);
    socket.write('GET /livez HTTP/1.1\r\nhost: a\r\nx-slow: ');
    expect(faultOf(await text(socket))).toEqual(timeout);
  });
});

describe('bodies that arrive', () => {
  const house = useHouse({}, { bodyLimits: { ...quick, heldBytesMax: mebibyte, bodyMsMax: 200 } });

  test('are refused, the oldest first, when all together hold too much memory', async () => {
    const hold = () => {
      const sent: ClientRequest = request(`${house.url}/v1/webhooks/mail-a`, {
        method: 'POST',
        headers: { ...json, 'content-length': 701 * 1024 },
      });
      const answered = new Promise<number | undefined>((resolve) => {
        sent.on('response', (response) => resolve(response.statusCode)).on('error', () => resolve(undefined));
      });
      return new Promise<{ sent: ClientRequest; answered: Promise<number | undefined> }>((resolve) => {
        sent.write(Buffer.alloc(700 * 1024, ' '), () => resolve({ sent, answered }));
      });
    };
    const first = await hold();
    const second = await hold();
    expect(await first.answered).toBe(503);
    first.sent.destroy();
    second.sent.end(Buffer.alloc(1024, ' '));
    expect(await second.answered).toBe(202);
  });

  test('to disk may be larger and slower than those in memory', async () => {
    const owner = await makeOwner(house);
    const ticket = await owner.call('POST', '/tickets', { subject: 'Files', body: 'b' });
    const disposition = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
    const form = formWith(disposition, Buffer.alloc(3 * mebibyte));
    const { path, headers } = uploadOf(owner, ticket.body.id, form);
    const sent = request(`${house.url}${path}`, { method: 'POST', headers });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sent.on('response', (response) => resolve(response.statusCode)).on('error', reject);
    });
    for (let at = 0; at < form.length; at += mebibyte / 4) {
      sent.write(form.subarray(at, at + mebibyte / 4));
      await sleep(20);
    }
    sent.end();
    expect(await answered).toBe(201);
  });

  test('of sign-in requests hold 16 KiB at most', async () => {
    const body = JSON.stringify({ provider: 'local', email: 'a@b.test', password: 'x'.repeat(16 * 1024) });
    const answer = await exchange(house.url, {
      path: session,
      headers: { ...json, connection: 'close', 'content-length': body.length },
      body,
    });
    expect(faultOf(answer)).toMatchObject({ status: 413, key: 'request.too_large' });
  });
});

describe('an answer that is sent before its request has arrived', () => {
  const house = useHouse({}, { bodyLimits: { ...quick, droppedBytesMax: 24 * mebibyte } });
  let owner: Person;
  beforeAll(async () => {
    owner = await makeOwner(house);
  });

  test('reaches a client that sends too much JSON and reads afterwards', async () => {
    const answer = await exchange(house.url, {
      path: `/v1/workspaces/${owner.workspaceId}/tickets`,
      headers: { ...json, ...headersOf(owner), 'content-length': 20 * mebibyte },
      body: Buffer.alloc(20 * mebibyte, ' '),
    });
    expect(faultOf(answer)).toEqual({ status: 413, key: 'request.too_large', connection: 'close' });
  });

  test('reaches each of several clients that use fetch', async () => {
    const send = () =>
      fetch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets`, {
        method: 'POST',
        headers: { ...json, ...headersOf(owner) },
        body: Buffer.alloc(5 * mebibyte, ' '),
      }).then(({ status }) => status);
    expect(await Promise.all(Array.from({ length: 8 }, send))).toEqual(Array(8).fill(413));
  });

  test('reaches a client whose file has the wrong name, and the connection stays usable', async () => {
    const ticket = await owner.call('POST', '/tickets', { subject: 'Files', body: 'b' });
    const form = formWith('Content-Disposition: form-data; name="document"; filename="a"', Buffer.alloc(20 * mebibyte));
    const next = Buffer.from('GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    const body = Buffer.concat([form, next]);
    const answer = await exchange(house.url, uploadOf(owner, ticket.body.id, form, body));
    expect(faultOf(answer.split('HTTP/1.1 200')[0] ?? '')).toMatchObject({ status: 400, key: 'request.invalid' });
    expect(answer).toMatch(/"alive"/);
  });

  test('is the last answer on a connection that it closes', async () => {
    const next = 'GET /livez HTTP/1.1\r\nhost: a\r\n\r\n';
    const answer = await exchange(house.url, {
      path: session,
      headers: { ...json, 'content-length': mebibyte },
      body: Buffer.concat([Buffer.alloc(mebibyte, ' '), Buffer.from(next)]),
    });
    expect(answer.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 413']);
  });

  test('limits how much of the rest is read', async () => {
    const socket = connect({ port: Number(new URL(house.url).port), host: '127.0.0.1', allowHalfOpen: true });
    open.push(socket);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {}).resume();
    socket.write(
      `POST ${session} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9000000000\r\n\r\n`,
    );
    const part = Buffer.alloc(4 * mebibyte, ' ');
    const send = (error?: Error | null): void => {
      if (!error && !socket.destroyed) socket.write(part, send);
    };
    send();
    await closed;
    expect(socket.bytesRead).toBeGreaterThan(0);
  });

  test('reaches a client that has closed its end', async () => {
    const body = '{"subject":"Half closed","body":"b"}';
    const lines = Object.entries({ ...json, ...headersOf(owner), 'content-length': body.length });
    const socket = connect(Number(new URL(house.url).port), '127.0.0.1');
    open.push(socket);
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`POST /v1/workspaces/${owner.workspaceId}/tickets HTTP/1.1\r\nhost: a\r\n${head}\r\n${body}`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 /);
  });
});
