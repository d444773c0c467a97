import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { newId } from '../../src/ground/lib/ids.ts';
import { errorShapeFault, type Operation } from './api-walk.ts';
import { useBesiegedHouse } from './hostile.ts';

const besieged = useBesiegedHouse();

test('an unsupported method is refused, with a list of the supported ones', async () => {
  const byPath = Map.groupBy(besieged.operations, ({ path }) => path);
  const requests = [...byPath].flatMap(([, [operation, ...others]]) => {
    if (operation === undefined) return [];
    // Another operation's pattern may match the path as well, and accept the method: `tickets/bulk` looks like a
    // ticket.
    const asPattern = ({ path }: Operation) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const alike = besieged.operations.filter((other) => asPattern(other).test(operation.path));
    const taken = [operation, ...others, ...alike].map(({ method }) => method);
    return ['PUT', 'DELETE', 'POST', 'PATCH']
      .filter((method) => !taken.includes(method))
      .map((method) => ({
        what: `${method} ${operation.path}`,
        taken,
        send: () => besieged.ask({ ...operation, method }),
      }));
  });
  for (const { what, taken, send } of requests) {
    const { status, headers, body } = await send();
    expect({ what, status, key: body?.key }).toEqual({ what, status: 405, key: 'route.method_not_allowed' });
    expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining([...new Set(taken)]));
  }
});

test('paths that do not exist are 404 in the error shape', async () => {
  const root = { method: 'GET', path: '/' } as Operation;
  const paths = [
    '/nothing',
    '/v1',
    '/v1/workspaces',
    '/v1//tickets',
    '/%2e%2e/etc/passwd',
    '/%',
    '/v1/%E0%A4%A',
    `/v1/${'x'.repeat(5_000)}`,
  ];
  const requests = paths
    .filter((path) => !besieged.operations.some((operation) => operation.path === path))
    .map((path) => ({ what: path, send: () => besieged.ask(root, undefined, {}, path) }));
  expect(
    await besieged.refusals(requests, ({ status, body }) => status === 404 && body?.key === 'route.not_found'),
  ).toEqual([]);
});

test('tokens that are expired, tampered with or unsigned open nothing', async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sid: besieged.person.sessionId,
    sub: besieged.person.userId,
    iss: 'kontor',
    iat: now - 10,
    exp: now + 3600,
  };
  const secret = Buffer.from(besieged.house.app.config.authSecret);
  const [head = '', payload = '', signature = ''] = besieged.person.token.split('.');
  const tokens: Record<string, [string, string]> = {
    expired: [jwt({ alg: 'HS256' }, { ...claims, exp: now - 1 }, secret), 'auth.token_expired'],
    'alg none': [jwt({ alg: 'none' }, claims), 'auth.token_invalid'],
    'alg None with a signature': [`${jwt({ alg: 'None' }, claims)}${signature}`, 'auth.token_invalid'],
    'signed with another key': [jwt({ alg: 'HS256' }, claims, Buffer.alloc(32, 1)), 'auth.token_invalid'],
    'signed with an empty key': [jwt({ alg: 'HS256' }, claims, Buffer.alloc(0)), 'auth.token_invalid'],
    'another payload': [`${head}.${encode({ ...claims, sub: newId() })}.${signature}`, 'auth.token_invalid'],
    'signature cut': [`${head}.${payload}.${signature.slice(0, -2)}`, 'auth.token_invalid'],
    'of another issuer': [jwt({ alg: 'HS256' }, { ...claims, iss: 'someone' }, secret), 'auth.token_invalid'],
    'without an expiry': [jwt({ alg: 'HS256' }, { ...claims, exp: undefined }, secret), 'auth.token_invalid'],
    'of a session that never was': [jwt({ alg: 'HS256' }, { ...claims, sid: newId() }, secret), 'auth.token_invalid'],
    'no JWT': ['x.y.z', 'auth.token_invalid'],
    'very long': ['x'.repeat(20_000), 'auth.token_invalid'],
  };
  expect(
    (await besieged.ask({ method: 'GET', path: '/v1/workspaces/{workspaceId}/tickets' } as Operation)).status,
  ).toBe(200);
  for (const operation of besieged.operations.filter(({ isPublic }) => !isPublic)) {
    for (const [what, [token, key]] of Object.entries(tokens)) {
      const answer = await besieged.ask(operation, undefined, { authorization: `Bearer ${token}` });
      expect({ what, route: operation.name, status: answer.status, key: answer.body?.key }).toEqual({
        what,
        route: operation.name,
        status: 401,
        key,
      });
      expect(errorShapeFault(answer)).toBeUndefined();
    }
  }
  expect(besieged.loggedErrors).toEqual([]);
});

test.each([
  ['headers of 100 KB', `GET /livez HTTP/1.1\r\nhost: a\r\nx-much: ${'x'.repeat(100_000)}\r\n\r\n`, 413],
  ['an address of 100 KB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 413],
  ['a line that is no request', 'HELLO\r\n\r\n', 400],
  ['two lengths', 'POST /livez HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx', 400],
  ['HTTP/1.1 without a host', 'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ['a version that is not spoken', 'GET /livez HTTP/2.0\r\nhost: a\r\nconnection: close\r\n\r\n', 400],
  ['two hosts', 'GET /livez HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n', 400],
  ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n', 405],
  ['a chunk without a length', 'POST /livez HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 400],
])('%s are refused in the error shape', async (_what, text, status) => {
  const answer = await rawAnswer(text);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^x-correlation-id: \S+/im);
  expect(Object.keys(JSON.parse(body))).toEqual(['key', 'params', 'fallbackMessage']);
  expect(besieged.loggedErrors.splice(0)).toEqual([]);
});

test('no header and no query holds the event loop', async () => {
  const { token, workspaceId } = besieged.person;
  const chars = 60_000;
  const member = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
  const tickets = `/v1/workspaces/${workspaceId}/tickets`;
  const targets = [`POST ${tickets}`, `PATCH ${tickets}/${newId()}`, 'GET /'];
  const names = [
    ...['range', 'if-range', 'if-match', 'if-none-match', 'cookie', 'authorization', 'accept', 'accept-encoding'],
    ...['accept-language', 'content-type', 'content-encoding', 'origin', 'idempotency-key', 'x-correlation-id'],
    ...['last-event-id', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-workspace-id'],
    ...['host', 'traceparent', 'tracestate', 'user-agent', 'sec-fetch-site', 'if-modified-since', 'prefer'],
  ];
  const units = [' ', ',', '"', '=', '-', 'a=b;', '"a",', 'gzip;q=', 'en-', 'bytes=0-1,', ' ;charset='];
  const requests = units.flatMap((unit) => {
    const pumped = `x${unit.repeat(chars / unit.length)}\x7e`;
    const inQuery = ['q', 'cursor', 'tags', 'limit'].map((name) => [
      `GET ${tickets}?${name}=${encodeURIComponent(pumped).slice(0, chars)}`,
      member,
    ]);
    const inQueries = [[`GET ${tickets}?${'tags=a&'.repeat(chars / 7)}`, member]];
    const inHeaders = names.flatMap((name) => targets.map((target) => [target, { ...member, [name]: pumped }]));
    return [...inHeaders, ...inQuery, ...inQueries] as [string, Record<string, string>][];
  });
  const held: { what: string; ms: number }[] = [];
  for (const [target, headers] of requests) {
    const lines = Object.entries({ host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = `${target} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`;
    const before = process.threadCpuUsage();
    expect(await rawAnswer(text)).toMatch(/^HTTP\/1.1 [2-4]\d\d /);
    const { user, system } = process.threadCpuUsage(before);
    held.push({ what: `${target.slice(0, 60)} ${Object.keys(headers).at(-1)}`, ms: (user + system) / 1_000 });
  }
  // The processor time of the whole request, so the loop was held for less.
  expect(held.filter(({ ms }) => ms > 200)).toEqual([]);
  expect(besieged.loggedErrors.splice(0)).toEqual([]);
});

test('an unknown expectation is ignored', async () => {
  const answer = await rawAnswer('GET /livez HTTP/1.1\r\nhost: a\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
});

test('a request about the server as a whole is answered with its methods', async () => {
  const answer = await rawAnswer('OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 204 [\s\S]*\r\nallow: GET, HEAD, POST/);
});

test('rubbish after a request leaves its answer intact, and ends the connection', async () => {
  const { token, workspaceId } = besieged.person;
  const body = '{"subject":"Once","body":"b"}';
  const create =
    `POST /v1/workspaces/${workspaceId}/tickets HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n` +
    `x-workspace-id: ${workspaceId}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const answer = await rawAnswer(`${create}RUBBISH\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1.1 201 /);
  expect(answer.match(/^HTTP\//gm)).toHaveLength(1);
});

test('an answer without a route has the same headers as all answers', async () => {
  const requests = ['GET /% HTTP/1.1\r\nhost: a', 'GET /nothing HTTP/1.1\r\nhost: a', 'GET / HTTP/1.1', 'rubbish'];
  for (const request of requests) {
    const answer = await rawAnswer(`${request}\r\nconnection: close\r\n\r\n`);
    for (const header of ['content-security-policy', 'x-content-type-options', 'cache-control', 'x-correlation-id'])
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 4\\d\\d [^]*\r\n${header}: .`, 'i'));
  }
});

test('an odd id of any length is a bad id, and only permitted callers learn that', async () => {
  const { workspaceId } = besieged.person;
  const operation = { method: 'GET', path: '/v1/workspaces/{workspaceId}/tickets/{ticketId}' } as Operation;
  const url = `/v1/workspaces/${workspaceId}/tickets/${'x'.repeat(5_000)}`;
  const stranger = await besieged.ask(operation, undefined, { authorization: '' }, url);
  expect([stranger.status, stranger.body?.key]).toEqual([401, 'auth.token_missing']);
  const member = await besieged.ask(operation, undefined, {}, url);
  expect([member.status, member.body?.params]).toMatchObject([400, { issues: [{ path: 'path.ticketId' }] }]);
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function jwt(header: object, claims: object, key?: Buffer): string {
  const signed = `${encode({ typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${signed}.${key === undefined ? '' : createHmac('sha256', key).update(signed).digest('base64url')}`;
}

function rawAnswer(text: string): Promise<string> {
  const { port } = new URL(besieged.house.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (part) => {
      answer += part;
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}
