import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { House } from '../harness/harness.ts';

/** One operation of the OpenAPI document, as the walks need it. */
export type Operation = {
  method: string;
  path: string;
  /** `POST /v1/…`, to name the operation in a failure. */
  name: string;
  isPublic: boolean;
  /** Names of the path's parameters, in order. */
  pathNames: string[];
  query: Field[];
  body: Schema | undefined;
  bodyType: string | undefined;
  successes: number[];
  description: string;
};
type Field = { name: string; schema: Schema; isRequired: boolean };
export type Schema = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  examples?: unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
};

export const workspacePrefix = '/v1/workspaces/{workspaceId}';

/** Every documented operation. `http/route-schema.ts` makes sure that no route is undocumented. */
export function operationsOf(document: any): Operation[] {
  return Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => {
      const parameters: any[] = operation.parameters ?? [];
      const [bodyType, content] = Object.entries<any>(operation.requestBody?.content ?? {})[0] ?? [];
      return {
        method: method.toUpperCase(),
        path,
        name: `${method.toUpperCase()} ${path}`,
        isPublic: operation.security.length === 0,
        pathNames: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
        query: parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema, example, required }) => ({
            name,
            schema: example === undefined ? schema : { ...schema, examples: [example] },
            isRequired: required === true,
          })),
        body: content?.schema,
        bodyType,
        successes: Object.keys(operation.responses)
          .map(Number)
          .filter((status) => status < 300),
        description: operation.description ?? '',
      };
    }),
  );
}

/** Chooses a value for a field. Undefined leaves the choice to `sampleOf`. */
export type Choose = (name: string, schema: Schema) => unknown;

/** A value that the schema allows. It has only required fields, unless `choose` gives a value for an optional one. */
export function sampleOf(schema: Schema, name: string, choose: Choose): unknown {
  const chosen = choose(name, schema);
  if (chosen !== undefined) return chosen;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0] ?? {}, name, choose);
  if (schema.type === 'object') return sampleObject(schema, choose);
  if (schema.type === 'array')
    return Array.from({ length: Math.max(schema.minItems ?? 0, 1) }, () =>
      sampleOf(schema.items ?? {}, name.replace(/s$/, ''), choose),
    );
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'null') return null;
  return schema.examples?.[0] ?? sampleText(schema);
}

function sampleObject({ properties = {}, required = [] }: Schema, choose: Choose): object {
  const sample: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(properties)) {
    const isWanted = required.includes(key) || choose(key, uuidSchemaOf(property) ?? property) !== undefined;
    if (isWanted) sample[key] = sampleOf(property, key, choose);
  }
  return sample;
}

function sampleText({ format, pattern, minLength = 0, maxLength = 100 }: Schema): string {
  if (format === 'uuid') return crypto.randomUUID();
  if (format === 'date-time') return '2100-01-01T00:00:00.000Z';
  if (pattern !== undefined) {
    const address = 'someone@example.org';
    return new RegExp(pattern).test(address)
      ? address
      : (fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 1, seed: 1 })[0] ?? '');
  }
  return 'a sample text'.padEnd(minLength, '.').slice(0, maxLength);
}

/** The part of a schema that is an id, even if it is nullable or repeated. */
export function uuidSchemaOf(schema: Schema): Schema | undefined {
  if (schema.format === 'uuid') return schema;
  if (schema.type === 'array') return uuidSchemaOf(schema.items ?? {});
  return schema.anyOf?.map(uuidSchemaOf).find((found) => found !== undefined);
}

export type Sent = {
  token?: string | undefined;
  workspaceHeader?: string | undefined;
  headers?: Record<string, string>;
};
export type WalkAnswer = { status: number; headers: Headers; text: string; body: any };

/** Sends a request unchanged. Reads an endless stream only for a moment. */
export async function send(
  house: Pick<House, 'url'>,
  { method }: Pick<Operation, 'method'>,
  url: string,
  body: string | FormData | Uint8Array<ArrayBuffer> | undefined,
  { token, workspaceHeader, headers = {} }: Sent = {},
): Promise<WalkAnswer> {
  const given = {
    ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(workspaceHeader === undefined ? {} : { 'x-workspace-id': workspaceHeader }),
    ...headers,
  };
  const response = await fetch(`${house.url}${url}`, {
    method,
    headers: given,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const text = isStream ? await readBriefly(response) : await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

async function readBriefly(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const first = await Promise.race([reader?.read(), setTimeout(200, undefined)]);
  await reader?.cancel();
  return first?.value === undefined ? '' : new TextDecoder().decode(first.value);
}

/** @returns why an answer is not the contract's `{ key, params, fallbackMessage }`, or undefined */
export function errorShapeFault({ headers, text, body }: WalkAnswer): string | undefined {
  if (!headers.get('x-correlation-id')) return 'no x-correlation-id';
  if (typeof body?.key !== 'string' || typeof body.params !== 'object' || body.params === null)
    return `no error body: ${text.slice(0, 200)}`;
  if (typeof body.fallbackMessage !== 'string' || Object.keys(body).length !== 3)
    return `no error body: ${text.slice(0, 200)}`;
  return /\bat \S+:\d+:\d+|node_modules|select |insert into|syntax error/i.test(text)
    ? `tells of the inside: ${text.slice(0, 200)}`
    : undefined;
}
