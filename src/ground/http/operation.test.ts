import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import type { Db } from '../database/db.ts';
import type { Server } from './http.ts';
import { answer, forEveryone, inWorkspace } from './operation.ts';
import { installRouteSchema } from './route-schema.ts';

const everyone = forEveryone('tests');
const workspace = inWorkspace('tests');
const named = { id: 'readIt', summary: 'Read it' };
const number = { 200: Type.Object({ number: Type.Integer() }) };

function openServer(): Server {
  const server = Fastify().withTypeProvider<TypeBoxTypeProvider>() as unknown as Server;
  installRouteSchema(server, () => false);
  return server;
}

test('an operation answers with its one status, and a handler chooses among several', async () => {
  const server = openServer();
  everyone.get(server, '/made', { ...named, answers: { 201: Type.Object({}) }, handler: () => ({}) });
  everyone.get(server, '/gone', { ...named, answers: { 204: Type.Null() }, handler: async () => {} });
  const several = { 200: Type.Object({}), 202: Type.Object({}), 409: Type.Object({}) };
  everyone.get(server, '/either', {
    ...named,
    answers: several,
    handler: (_request, reply) => reply.code(202).send({}),
  });
  everyone.get(server, '/usual', { ...named, answers: several, handler: () => ({}) });
  const statusOf = async (url: string) => (await server.inject({ url })).statusCode;
  expect(await Promise.all(['/made', '/gone', '/either', '/usual'].map(statusOf))).toEqual([201, 204, 202, 200]);
  expect((await server.inject({ url: '/gone' })).body).toBe('');
});

test('a change answers from its transaction, and what comes afterwards runs after the answer', async () => {
  const server = openServer();
  server.decorate('db', { tx: (work: (tx: object) => unknown) => work({}) } as unknown as Db);
  server.decorateRequest('actor', null);
  server.addHook('onRequest', async (request) => void Object.assign(request, { actor: {} }));
  const workspaceId = randomUUID();
  const order: string[] = [];
  workspace.put(server, '/number', {
    ...named,
    can: 'ticket.write',
    answers: { ...number, 201: number[200] },
    inTx: async (_tx, { params }) => {
      order.push(params.workspaceId);
      return answer({ number: 7 }, { status: 201, etag: 3 });
    },
    afterwards: () => order.push('afterwards'),
  });
  const { statusCode, headers, body } = await server.inject({
    method: 'PUT',
    url: `/v1/workspaces/${workspaceId}/number`,
    headers: { 'x-workspace-id': workspaceId },
  });
  expect([statusCode, headers.etag, body]).toEqual([201, '"3"', '{"number":7}']);
  expect(order).toEqual([workspaceId, 'afterwards']);
});

test('the compiler refuses an operation without id, permission or answers, and a body of another shape', () => {
  const server = openServer();
  const handler = () => ({ number: 7 });
  const can = 'ticket.read' as const;
  const attempts = [
    // @ts-expect-error: no id
    () => workspace.get(server, '/a', { summary: 'Read it', can, answers: number, handler }),
    // @ts-expect-error: no permission
    () => workspace.get(server, '/b', { ...named, answers: number, handler }),
    // @ts-expect-error: no answers
    () => workspace.get(server, '/c', { ...named, can, handler }),
    // @ts-expect-error: neither a handler nor a change
    () => workspace.get(server, '/d', { ...named, can, answers: number }),
  ];
  // Without types, the start refuses them.
  for (const attempt of attempts) expect(attempt).toThrow();
  // @ts-expect-error: a body that the schema does not know
  workspace.get(server, '/e', { ...named, can, answers: number, handler: () => ({ numbers: [7] }) });
  // @ts-expect-error: as above, of a change
  workspace.post(server, '/f', { ...named, can, answers: number, inTx: async () => ({ numbers: [7] }) });
});
