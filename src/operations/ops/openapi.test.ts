import { validate } from '@scalar/openapi-parser';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { call } from '../../../test/worlds/factories.ts';

const house = useHouse();
let document: any;
let operations: { name: string; operation: any }[];

beforeAll(async () => {
  ({ body: document } = await call(house, 'GET', '/v1/openapi.json'));
  operations = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
});

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors, version } = await validate(document);
  expect(errors).toEqual([]);
  expect({ valid, version }).toEqual({ valid: true, version: '3.1' });
});

test('its schemas are JSON Schema, without our own hints', () => {
  const known = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];
  const faults: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'x-trim' || key === 'x-empty' || key === 'nullable') faults.push(`${path}/${key}`);
      // A field may be named "type"; its value is then a schema object.
      if (key === 'type' && typeof inner === 'string' && !path.includes('/securitySchemes/') && !known.includes(inner))
        faults.push(`${path}/type ${inner}`);
      visit(inner, `${path}/${key}`);
    }
  };
  visit({ paths: document.paths, components: document.components }, '');
  expect(faults).toEqual([]);
});

test('every operation has a unique id, a summary, described tags and a success answer', () => {
  const tags = document.tags.map(({ name }: { name: string }) => name);
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { name, operation } of operations) {
    expect(operation.summary, name).toBeTypeOf('string');
    expect(operation.tags, name).toHaveLength(1);
    expect(tags, name).toContain(operation.tags[0]);
    expect(
      Object.keys(operation.responses).filter((status) => /^[23]/.test(status)),
      name,
    ).not.toEqual([]);
  }
});

test('an operation below a workspace documents the token, the header and every refusal of the gate', () => {
  const below = operations.filter(({ name }) => name.includes(' /v1/workspaces/{workspaceId}/'));
  expect(below).not.toEqual([]);
  for (const { name, operation } of below) {
    expect(operation.security, name).toEqual([{ accessToken: [] }, { sessionCookie: [] }]);
    expect(operation.parameters, name).toContainEqual(
      expect.objectContaining({ in: 'header', name: 'x-workspace-id', required: true }),
    );
    expect(Object.keys(operation.responses), name).toEqual(
      expect.arrayContaining(['400', '401', '403', '429', '500', '503']),
    );
  }
});

function headersOf(operation: any, status: string | number): string[] {
  const answer = operation.responses[status];
  const named = answer.$ref === undefined ? answer : document.components.responses[answer.$ref.split('/').at(-1)];
  return Object.keys(named.headers);
}

test.each([
  ['listTickets', 200, ['Link', 'x-total-count', 'x-total-count-relation']],
  ['listMembers', 200, ['Link']],
  ['listNotifications', 200, []],
  ['readTicket', 200, ['ETag']],
  ['createTicket', 201, ['ETag', 'idempotent-replayed']],
  ['createTicket', 409, ['idempotent-replayed', 'Retry-After']],
  ['createTicket', 429, ['Retry-After', 'RateLimit', 'RateLimit-Policy']],
  ['createTicket', 503, ['Retry-After']],
  ['createWorkspace', 201, []],
  ['downloadAttachment', 206, ['ETag', 'Content-Range']],
  ['downloadAttachment', 304, ['ETag']],
])('%s documents the headers of its %i', (operationId, status, expected) => {
  const found = operations.find(({ operation }) => operation.operationId === operationId);
  expect(headersOf(found?.operation, status)).toEqual(['x-correlation-id', ...expected]);
});

test('every operation documents the refusal of a long address, which each of them gives', async () => {
  const lacking = operations.filter(({ operation }) => operation.responses[413] === undefined);
  expect(lacking.map(({ name }) => name)).toEqual([]);
  const answer = await call(house, 'GET', `/v1/config?x=${'x'.repeat(80_000)}`);
  expect([answer.status, answer.body.key]).toEqual([413, 'request.too_large']);
});

test('the document names the types of downloads', () => {
  const typesOf = (operationId: string) => {
    const found = operations.find(({ operation }) => operation.operationId === operationId);
    return Object.keys(found?.operation.responses[200].content);
  };
  expect(typesOf('downloadRawMail')).toEqual(['message/rfc822']);
  expect(typesOf('downloadAttachment')).toEqual(['*/*']);
  expect(typesOf('showRemoteImage')).toEqual(['image/*']);
});

test('every answer documents its correlation id, and the 405 documents Allow', () => {
  for (const { name, operation } of operations)
    for (const status of Object.keys(operation.responses))
      expect(headersOf(operation, status), `${name} ${status}`).toContain('x-correlation-id');
  expect(document.components.responses.MethodNotAllowed.headers).toHaveProperty('Allow');
});

test('shapes in answers have names, for generated clients', () => {
  const shapeOf = (path: string, method: string, status: number) =>
    document.paths[`/v1/workspaces/{workspaceId}${path}`][method].responses[status].content['application/json'].schema;
  const ticket = { $ref: '#/components/schemas/Ticket' };
  const listed = { $ref: '#/components/schemas/ListedTicket' };
  expect(shapeOf('/tickets', 'get', 200)).toEqual({ type: 'array', items: listed });
  expect(shapeOf('/tickets', 'post', 201)).toEqual(ticket);
  expect(document.components.schemas.TicketWithMessages.properties.messages.items).toEqual({
    $ref: '#/components/schemas/Message',
  });
  const text = JSON.stringify(document);
  for (const name of Object.keys(document.components.schemas)) expect(text).toContain(`"#/components/schemas/${name}"`);
});
