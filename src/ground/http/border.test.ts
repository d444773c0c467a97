import fc from 'fast-check';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { beforeAll, describe, expect, test } from 'vitest';
import { issueAt } from '../lib/issues.ts';
import { installBorder } from './border.ts';
import { installFaults } from './faults.ts';
import type { Server } from './http.ts';
import { normaliseBody, type Shape } from './normalise.ts';
import { emailAddress, nullable, optionalText, textAsSent, trimmedText, uuid } from './schema.ts';

const server = Fastify() as unknown as Server;

beforeAll(async () => {
  installFaults(server);
  installBorder(server);
  server.post(
    '/things/:id',
    {
      schema: {
        params: Type.Object({ id: uuid }),
        querystring: Type.Object({
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
          tag: Type.Optional(Type.Array(Type.String())),
          deep: Type.Optional(Type.Boolean()),
        }),
        body: Type.Object({
          name: trimmedText(1, 5),
          text: Type.Optional(textAsSent(1, 5)),
          reason: optionalText(5),
          count: Type.Optional(Type.Integer()),
          owner: Type.Optional(nullable(uuid)),
          list: Type.Optional(Type.Array(Type.Integer())),
          few: Type.Optional(
            nullable(
              Type.Array(Type.Object({ tags: Type.Array(trimmedText(1, 9), { maxItems: 3 }) }), { maxItems: 3 }),
            ),
          ),
          person: Type.Optional(nullable(Type.Object({ email: emailAddress, name: Type.Optional(trimmedText(0, 9)) }))),
        }),
      },
    },
    async (request) => ({ params: request.params, query: request.query, body: request.body }),
  );
  server.post('/empty', {}, async (request) => ({ body: request.body ?? null }));
  await server.ready();
});

const id = '0190A000-0000-7000-8000-00000000000A';
async function post(
  payload: unknown,
  query = '',
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
  const answer = await server.inject({ method: 'POST', url: `/things/${id}${query}`, payload: body, headers });
  return { status: answer.statusCode, body: answer.json() };
}

describe('input', () => {
  test('is trimmed, has its ids lower-cased and its undeclared fields dropped', async () => {
    const { status, body } = await post(
      { name: ' abc ', text: ' t ', reason: ' ', owner: id, extra: 1, person: { email: ' a@b ', x: 1 } },
      '?limit=5&tag=a&deep=true&other=1',
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      params: { id: id.toLowerCase() },
      query: { limit: 5, tag: ['a'], deep: true },
      body: { name: 'abc', text: ' t ', owner: id.toLowerCase(), person: { email: 'a@b' } },
    });
  });

  test('loses null in optional fields, and keeps null in fields that null clears', async () => {
    expect((await post({ name: 'a', text: null, count: null, owner: null, person: null })).body.body).toEqual({
      name: 'a',
      owner: null,
      person: null,
    });
    expect((await post({ name: null })).status).toBe(400);
  });

  test('is never coerced in a body', async () => {
    for (const wrong of [
      { name: 1 },
      { name: 'a', count: '1' },
      { name: ['a'] },
      { name: 'a', owner: 'x' },
      [],
      'x',
      7,
      null,
    ]) {
      expect((await post(wrong === 'x' ? '"x"' : wrong)).status).toBe(400);
    }
  });

  test('gets all faults of all parts reported at once', async () => {
    const { body } = await post({ name: 7, person: {} }, '?limit=9&deep=7');
    expect(body.key).toBe('request.invalid');
    expect(body.params.issues.map((issue: any) => issue.path).sort()).toEqual([
      'body.name',
      'body.person.email',
      'query.deep',
      'query.limit',
    ]);
  });

  test('gets at most a hundred faults reported', async () => {
    const { body } = await post({ name: 'a', list: Array.from({ length: 300 }, () => 'x') });
    expect(body.params.issues).toHaveLength(100);
    expect(body.params.issues[99]).toMatchObject({ path: 'body.list.99' });
  });

  test('with an overlong list gets only that fault reported', async () => {
    const long = Array.from({ length: 300 }, () => 'x'.repeat(20));
    const fault = issueAt('body.few', 'too_many_items', { limit: 3 });
    const issuesOf = async (few: unknown) => (await post({ name: 7, few })).body.params.issues;
    expect(await issuesOf(long)).toEqual([fault]);
    expect(await issuesOf([{ tags: ['a'] }, { tags: long }])).toEqual([{ ...fault, path: 'body.few.1.tags' }]);
    expect((await post({ name: 'a', few: [{ tags: [' a '] }] })).body.body.few).toEqual([{ tags: ['a'] }]);
  });

  test.each(['1.5', '1e1', '0x1', 'Infinity', '%20', '1&limit=2', '1&limit=', '99999999999999999999'])(
    'limit=%s is refused',
    async (limit) => {
      expect((await post({ name: 'a' }, `?limit=${limit}`)).status).toBe(400);
    },
  );
});

describe('a body', () => {
  test('that is empty counts as {}, whatever its type', async () => {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await server.inject({
        method: 'POST',
        url: '/empty',
        headers: { 'content-type': type, 'content-length': '0' },
      });
      expect(answer.statusCode).toBe(200);
      expect((await post('', '', { 'content-type': type })).body.params?.issues?.[0]?.path).toBe('body.name');
    }
  });

  test('that is null, or any value but an object, does not count as empty', async () => {
    for (const body of ['null', '[]', '7', '""', 'false'])
      expect((await post(body)).body.params.issues).toMatchObject([{ path: 'body' }]);
  });

  test('of another type is 415, malformed is 400, too deep is a clear 4xx', async () => {
    expect((await post('a=1', '', { 'content-type': 'text/plain' })).body.key).toBe('request.unsupported_media_type');
    expect((await post('{"name":', '')).body.key).toBe('request.malformed_json');
    expect((await post(Buffer.from([0x7b, 0xff, 0x7d]))).body.key).toBe('request.malformed_json');
    expect((await post('['.repeat(200_000))).body.key).toBe('request.malformed_json');
    expect((await post(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).status).toBe(400);
  });

  test('in another coding or charset is 415', async () => {
    const send = (headers: Record<string, string>) =>
      post({ name: 'a' }, '', { 'content-type': 'application/json', ...headers });
    for (const headers of [
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'identity, br' },
      { 'content-type': 'application/json; charset=iso-8859-1' },
      { 'content-type': 'application/json;charset="utf-16"' },
    ]) {
      expect((await send(headers)).body.key).toBe('request.unsupported_media_type');
    }
    for (const headers of [{ 'content-encoding': 'Identity' }, { 'content-type': 'application/json; charset="UTF-8"' }])
      expect((await send(headers)).status).toBe(200);
  });

  test('with U+0000 or a lone surrogate anywhere is refused', async () => {
    for (const text of ['"a\\u0000"', '"\\ud800"', '"\\udc00x"']) {
      for (const body of [`{"name":${text}}`, `{"name":"a","extra":[{"x":${text}}]}`, `{"name":"a",${text}:1}`]) {
        expect((await post(body)).body.key).toBe('request.invalid');
      }
    }
    expect((await post('{"name":"\\ud83d\\ude00"}')).status).toBe(200);
  });

  test('with a field __proto__ changes no prototype', async () => {
    expect((await post('{"name":"a","__proto__":{"count":1},"constructor":{"prototype":{}}}')).body.body).toEqual({
      name: 'a',
    });
  });
});

test('normalising a body twice changes nothing more', () => {
  const shape = Type.Object({
    a: trimmedText(0, 9),
    b: Type.Optional(nullable(uuid)),
    c: Type.Optional(Type.Array(trimmedText(0, 9))),
  }) as Shape;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = normaliseBody(shape, value, 'use');
      expect(normaliseBody(shape, once, 'use')).toEqual(once);
    }),
  );
});
