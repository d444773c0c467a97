import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { sql } from '../../src/ground/database/sql.ts';
import type { Server } from '../../src/ground/http/http.ts';
import type { House } from '../harness/harness.ts';
import { buildWalkedHouse, walkIsolation } from './isolation.ts';

/** Enough for a busy machine. */
const walkTimeoutMs = 1_200_000;

test('no route lets one workspace see or touch another, and the walk finds planted leaks', {
  timeout: walkTimeoutMs,
}, async () => {
  const house = await buildWalkedHouse(plantLeaks);
  const isPlanted = (text: string) => /\/(leaky-tickets|all-tickets|open-door)\b/.test(text);
  try {
    // A leaky route would fill a workspace with ids of the other.
    const faults = await walkIsolation(house, ({ path }) => !isPlanted(path));
    expect(faults.filter((fault) => !isPlanted(fault))).toEqual([]);
    const expected = [
      /GET .*\/leaky-tickets\/\{ticketId\}: a ticketId of another workspace answers 200/,
      /GET .*\/all-tickets: rightly asked it tells of another workspace/,
      /POST .*\/leaky-tickets: as a viewer it answers 200/,
      /POST .*\/leaky-tickets: assigneeId of another workspace answers 200/,
      /GET .*\/open-door: below a workspace, and public/,
    ];
    for (const sentence of expected) expect(faults).toContainEqual(expect.stringMatching(sentence));
  } finally {
    await house.close();
  }
});

/** Routes with typical mistakes. */
function plantLeaks(server: Server, { app: { db } }: Pick<House, 'app'>): void {
  const prefix = '/v1/workspaces/:workspaceId';
  const uuid = Type.String({ format: 'uuid' });
  const params = Type.Object({ workspaceId: uuid, ticketId: uuid });
  const described = (operationId: string) => ({ operationId, summary: operationId, tags: ['tickets'] });
  const response = { 200: Type.Any() };
  server.get(
    `${prefix}/leaky-tickets/:ticketId`,
    { config: { can: 'ticket.read' }, schema: { ...described('leak'), params, response } },
    (request) => db.one(sql`select id, subject from tickets where id = ${request.params.ticketId}`),
  );
  server.get(
    `${prefix}/all-tickets`,
    { config: { can: 'ticket.read' }, schema: { ...described('leakAll'), response } },
    () => db.rows(sql`select id, subject from tickets`),
  );
  server.post(
    `${prefix}/leaky-tickets`,
    {
      config: { can: 'ticket.read' },
      schema: { ...described('leakWrite'), body: Type.Object({ assigneeId: uuid }), response },
    },
    async () => ({ ok: true }),
  );
  server.get(
    `${prefix}/open-door`,
    { config: { public: true }, schema: { ...described('leakOpen'), response } },
    async () => ({ ok: true }),
  );
}
