import { expect, it } from 'vitest';
import { useServers } from '../../../test/worlds/use-servers.ts';
import { askProvider, jsonOf, kindOfStatus, retryAfterMsOf } from './provider-request.ts';

const { listen } = useServers();
const provider = 'The provider';

it('returns any answer', async () => {
  const url = await listen(async (request, response) => {
    let sent = '';
    for await (const chunk of request) sent += chunk;
    response.writeHead(409, { 'x-one': 'two' }).end(JSON.stringify({ sent }));
  });
  for (const body of ['abc', Buffer.from('abc')]) {
    const answer = await askProvider({ provider, url, method: 'POST', body });
    expect(answer.status).toBe(409);
    expect(answer.headers.get('x-one')).toBe('two');
    expect(jsonOf(answer)).toEqual({ sent: 'abc' });
  }
});

it('follows no redirect, which would get the credentials', async () => {
  const asked: (string | undefined)[] = [];
  const url = await listen((request, response) => {
    asked.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(await askProvider({ provider, url, headers: { authorization: 'Bearer x' } })).toMatchObject({ status: 307 });
  expect(asked).toEqual(['/']);
});

it('tells whether a failed request that sends may have been carried out', async () => {
  const [silent, breaking] = await Promise.all([
    listen(() => {}),
    listen((request) => {
      request.socket.destroy();
    }),
  ]);
  const closed = 'http://localhost:2';
  const ask = (url: string, sends: boolean, timeout: { timeoutMs?: number } = {}) =>
    askProvider({ provider, url, method: 'POST', body: 'x', sends, ...timeout });
  await expect(ask(silent, true, { timeoutMs: 50 })).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'timeout',
    mayHaveHappened: true,
  });
  await expect(ask(silent, false, { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'timeout',
    mayHaveHappened: false,
  });
  await expect(ask(breaking, true)).rejects.toMatchObject({ kind: 'unavailable', mayHaveHappened: true });
  await expect(ask(closed, true)).rejects.toMatchObject({ code: 'ECONNREFUSED', mayHaveHappened: false });
});

it('aborts on any of its signals', async () => {
  const ending = new AbortController();
  const url = await listen(() => ending.abort());
  const signals = [undefined, ending.signal];
  await expect(askProvider({ provider, url, signals, sends: true })).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'aborted',
    mayHaveHappened: true,
  });
  await expect(askProvider({ provider, url, signals, sends: true })).rejects.toMatchObject({
    code: 'aborted',
    mayHaveHappened: false,
  });
});

it('drops an answer that is too large', async () => {
  const url = await listen((_request, response) => response.end(Buffer.alloc(2_000)));
  await expect(askProvider({ provider, url, answerBytesMax: 1_999 })).rejects.toMatchObject({ kind: 'refused' });
  expect((await askProvider({ provider, url, answerBytesMax: 2_000 })).body).toHaveLength(2_000);
});

it.each([
  ['120', 120_000],
  ['0', 0],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['999999999', 24 * 3600 * 1000],
  ['soon', null],
  [undefined, null],
])('reads Retry-After: %s', (value, expected) => {
  const headers = new Headers({ date: 'Sat, 21 Nov 2026 10:00:00 GMT' });
  if (value !== undefined) headers.set('retry-after', value);
  expect(retryAfterMsOf({ headers })).toBe(expected);
});

it('derives the kind of fault from the status', () => {
  const kinds = [401, 403, 404, 408, 429, 500, 503, 302, 400, 413].map(kindOfStatus);
  expect(kinds.join(' ')).toBe(
    'unavailable forbidden not-found unavailable throttled unavailable unavailable misconfigured refused refused',
  );
});

it.each(['null', '[]', '7', '"x"', '{', ''])('an answer of %s contains no object', (text) => {
  expect(jsonOf({ body: Buffer.from(text) })).toBeUndefined();
});
