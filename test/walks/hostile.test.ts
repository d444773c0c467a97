import { expect, test } from 'vitest';
import { type Operation, type Schema, sampleOf, type WalkAnswer } from './api-walk.ts';
import { useBesiegedHouse } from './hostile.ts';

const besieged = useBesiegedHouse();

/** Webhooks trust only providers, and accept larger and looser bodies. Their own tests attack them. */
const operations = () => besieged.operations.filter(({ path }) => !path.startsWith('/v1/webhooks/'));
const withBody = () => operations().filter(({ bodyType }) => bodyType === 'application/json');
/** Every operation that reads a body, even if it needs none. */
const reading = () =>
  operations().filter(
    ({ method, bodyType }) => method !== 'GET' && method !== 'DELETE' && bodyType !== 'multipart/form-data',
  );
const sampleBody = ({ body }: Operation) => sampleOf(body ?? {}, '', () => undefined) as object;
const isInvalid = ({ status, body }: WalkAnswer) => status === 400 && body?.key === 'request.invalid';
const isClear = ({ status }: WalkAnswer) => status >= 400 && status < 500;

/** `null` stands for a missing field, unless `null` is a valid value. */
function missingValues({ body }: Operation, field: string): (null | undefined)[] {
  if (!body?.required?.includes(field)) return [];
  return JSON.stringify(body.properties?.[field]).includes('"null"') ? [undefined] : [null, undefined];
}

test('a crash is logged and reveals nothing; these tests would see any other error log', async () => {
  const requests = [{ what: 'crash', send: () => besieged.ask({ method: 'GET', path: '/v1/crash' } as Operation) }];
  expect(await besieged.refusals(requests, ({ status, body }) => status === 500 && body?.key === 'internal')).toEqual([
    expect.stringMatching(/logged as an error/),
  ]);
});

test('a body field of a wrong type is refused by its name', async () => {
  const requests = withBody().flatMap((operation) =>
    Object.entries(operation.body?.properties ?? {}).flatMap(([field, schema]) =>
      [...wrongValues(schema), ...missingValues(operation, field)].map((value) => {
        const body = { ...sampleBody(operation), [field]: value };
        const what = `${operation.name} with ${field} = ${JSON.stringify(value)?.slice(0, 60)}`;
        return { what, field, send: () => besieged.ask(operation, JSON.stringify(body)) };
      }),
    ),
  );
  expect(requests.length).toBeGreaterThan(20);
  expect(await besieged.refusals(requests, isInvalid)).toEqual([]);
});

test('a body that is not an object is refused', async () => {
  const requests = withBody().flatMap((operation) =>
    ['[]', '"text"', '1', 'true', 'null'].map((body) => ({
      what: `${operation.name} with ${body}`,
      send: () => besieged.ask(operation, body),
    })),
  );
  expect(await besieged.refusals(requests, isClear)).toEqual([]);
});

test('query parameters outside their range or list are refused', async () => {
  const requests = besieged.operations.flatMap((operation) =>
    operation.query.flatMap(({ name, schema }) =>
      wrongQueryValues(schema).map((value) => ({
        what: `${operation.name}?${name}=${value}`,
        send: () => besieged.ask(operation, undefined, {}, `${besieged.urlOf(operation)}?${name}=${value}`),
      })),
    ),
  );
  expect(requests).not.toEqual([]);
  expect(await besieged.refusals(requests, isInvalid)).toEqual([]);
});

test('malformed ids in the path are refused', async () => {
  const requests = besieged.operations.flatMap((operation) =>
    operation.pathNames.slice(1).flatMap((name) =>
      [name === 'ticketNumber' ? '0' : '1', 'null', '%00', '%F0%9F%98%80', "'%20or%201=1", 'x'.repeat(400)].map(
        (value) => {
          const url = besieged.urlOf({ ...operation, path: operation.path.replace(`{${name}}`, value) });
          return {
            what: `${operation.name} with ${name} = ${value}`,
            // The service would refuse a body of another type before it reads the address.
            send: () => besieged.ask(operation, operation.bodyType === 'application/json' ? '{}' : undefined, {}, url),
          };
        },
      ),
    ),
  );
  expect(await besieged.refusals(requests, isInvalid)).toEqual([]);
});

test('U+0000 and lone surrogates are refused in every text field', async () => {
  const requests = withBody().flatMap((operation) =>
    Object.entries(operation.body?.properties ?? {}).flatMap(([field]) =>
      ['\\u0000', 'a\\ud800b', '\\udc00'].map((text) => {
        const sample = JSON.stringify({
          ...sampleBody(operation),
          [field]: 'HERE',
        });
        return {
          what: `${operation.name} with ${text} in ${field}`,
          send: () => besieged.ask(operation, sample.replace('"HERE"', `"${text}"`)),
        };
      }),
    ),
  );
  expect(await besieged.refusals(requests, isInvalid)).toEqual([]);
});

test('a body of 3 MB is too large', async () => {
  const body = JSON.stringify({ body: 'x'.repeat(3_000_000) });
  const requests = reading().map((operation) => ({ what: operation.name, send: () => besieged.ask(operation, body) }));
  expect(
    await besieged.refusals(requests, ({ status, body: said }) => status === 413 && said?.key === 'request.too_large'),
  ).toEqual([]);
});

test('a body that is not JSON or not UTF-8 is refused as such', async () => {
  const requests = reading().flatMap((operation) =>
    [
      '{',
      '{"a":}',
      '\u0000',
      "{'a':1}",
      '{"a":1}}',
      Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    ].map((body) => ({
      what: `${operation.name} with ${String(body)}`,
      send: () => besieged.ask(operation, body),
    })),
  );
  const isMalformed = ({ status, body }: WalkAnswer) => status === 400 && body?.key === 'request.malformed_json';
  expect(await besieged.refusals(requests, isMalformed)).toEqual([]);
});

test('100,000 nested arrays are refused, wherever they stand', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const requests = withBody().flatMap((operation) => [
    { what: operation.name, send: () => besieged.ask(operation, deep) },
    ...Object.keys(operation.body?.properties ?? {}).map((field) => ({
      what: `${operation.name} in ${field}`,
      send: () => besieged.ask(operation, `{"${field}":${deep}}`),
    })),
  ]);
  // Operations without sign-in accept only smaller bodies.
  expect(await besieged.refusals(requests, (answer) => isInvalid(answer) || answer.status === 413)).toEqual([]);
});

test('a body of another type than JSON is refused', async () => {
  const requests = reading().flatMap((operation) =>
    ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'].map((type) => ({
      what: `${operation.name} as ${type}`,
      send: () => besieged.ask(operation, 'a=b', { 'content-type': type }),
    })),
  );
  const isUnsupported = ({ status, body }: WalkAnswer) =>
    status === 415 && body?.key === 'request.unsupported_media_type';
  expect(await besieged.refusals(requests, isUnsupported)).toEqual([]);
});

const tooMany = Array.from({ length: 10_001 }, (_item, index) => `item-${index}`);

function wrongValues(schema: Schema): unknown[] {
  const kinds: Record<string, unknown> = {
    string: 7,
    boolean: 'true',
    integer: '7',
    number: '7',
    array: 'text',
    object: 'text',
  };
  const alternatives = schema.anyOf ?? [schema];
  const types = new Set(alternatives.map(({ type, enum: words }) => type ?? typeof words?.[0]));
  const wrong: unknown[] = [{ a: 1 }, [[1]], 7, 'text', true].filter((value) => {
    const type = Array.isArray(value) ? 'array' : typeof value;
    return !types.has(type) && !(type === 'number' && types.has('integer'));
  });
  for (const { type, items, enum: words, format, maxLength, required = [] } of alternatives) {
    if (type === 'array') wrong.push([kinds[items?.type ?? 'string'] ?? 7], [null], tooMany);
    if (words !== undefined) wrong.push('no such word', '');
    if (format !== undefined) wrong.push('no such format');
    if (maxLength !== undefined) wrong.push('x'.repeat(maxLength + 1));
    if (required.length > 0) wrong.push({});
    if (type === 'integer') wrong.push(1.5, 1e300);
  }
  return wrong;
}

function wrongQueryValues(schema: Schema): string[] {
  const values: string[] = [];
  if (schema.type === 'integer') values.push('x', '1.5', '1e3', 'NaN', '-99999999999999999999');
  if (schema.type === 'integer' && schema.minimum !== undefined) values.push(String(schema.minimum - 1));
  if (schema.type === 'integer' && schema.maximum !== undefined) values.push(String(schema.maximum + 1));
  if (schema.type === 'boolean') values.push('yes', '1');
  if (schema.enum !== undefined || schema.items?.enum !== undefined) values.push('no-such-word');
  if (schema.format === 'uuid') values.push('1');
  return [...values, '%00'];
}
