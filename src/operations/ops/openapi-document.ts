import { STATUS_CODES } from 'node:http';
import { errorCatalog } from '../../ground/lib/error-catalog.ts';

/** The parts of an OpenAPI document that this module uses. */
export type OpenApiDocument = {
  components?: Record<string, Record<string, unknown>>;
  paths?: Record<string, Record<string, OpenApiOperation>>;
  tags?: { name: string }[];
};
type OpenApiOperation = {
  tags?: string[];
  parameters?: { in: string; name: string }[];
  responses?: Record<string, OpenApiResponse>;
};
type OpenApiResponse = {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema?: Schema }>;
};
type Schema = { type?: string; properties?: Record<string, Schema>; enum?: string[]; allOf?: object[] };

const text = { schema: { type: 'string' } };
const headers: Record<string, object> = {
  CorrelationId: {
    description: "The caller's `x-correlation-id`, or a new one. Every log line of the request has it.",
    ...text,
  },
  ETag: { description: 'The version of the ticket, for `If-Match`.', ...text },
  FileETag: { description: 'The hash of the file, for `If-None-Match` and `If-Range`.', ...text },
  ContentRange: { description: 'The sent part of the file, and the size of the whole file.', ...text },
  Link: { description: 'The next page, with `rel="next"`; missing on the last one.', ...text },
  TotalCount: {
    description: 'How many there are, exact up to 1,000. Missing after the first page and with `count=false`.',
    schema: { type: 'integer', maximum: 1000 },
  },
  TotalCountRelation: {
    description: 'Present when there are more than `x-total-count` says.',
    schema: { type: 'string', const: 'gte' },
  },
  IdempotentReplayed: {
    description: 'Present when this answer repeats that of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  Allow: { description: 'The methods that the address supports.', ...text },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } },
  RateLimit: { description: 'How many requests are left, and the seconds until the limit resets.', ...text },
  RateLimitPolicy: { description: 'The limit and its window in seconds.', ...text },
};

const errorSchema = {
  type: 'object',
  required: ['key', 'params', 'fallbackMessage'],
  properties: {
    key: {
      type: 'string',
      enum: Object.keys(errorCatalog),
      description: Object.entries(errorCatalog)
        .map(([key, { status, message }]) => `- \`${key}\` (${status}): ${message}`)
        .join('\n'),
    },
    params: { type: 'object', additionalProperties: true },
    fallbackMessage: { type: 'string', description: 'What happened, in plain English.' },
  },
};

/**
 * Adds the parts that all answers share: headers, descriptions and the error shape. Changes the document in place.
 * Equal error answers become one named component, or they would fill nine tenths of the document. Shared shapes become
 * named components as well.
 * @param shapes by their names in generated clients
 */
export function completeDocument(document: OpenApiDocument, shapes: Record<string, object>): void {
  const nameOfShape = new Map(
    Object.entries(shapes).map(([name, shape]) => [JSON.stringify(withoutHints(shape)), name]),
  );
  const errorAnswers = namedAnswers();
  // No operation answers 405: it is the answer of an address to unsupported methods.
  errorAnswers.name(405, completeResponse({}, 405, methodNotAllowed));
  const tagsInUse = new Set<string>();
  for (const operations of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(operations)) {
      const answers = Object.entries(operation.responses ?? {}).map(([status, response]) => {
        const complete = completeResponse(operation, Number(status), response);
        return [
          status,
          Number(status) < 400 ? withNames(complete, nameOfShape) : errorAnswers.name(Number(status), complete),
        ];
      });
      for (const tag of operation.tags ?? []) tagsInUse.add(tag);
      operation.responses = Object.fromEntries(answers);
    }
  }
  document.tags = document.tags?.filter(({ name }) => tagsInUse.has(name)) ?? [];
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      Error: errorSchema,
      ...Object.fromEntries(
        Object.entries(shapes).map(([name, shape]) => [name, withNamesInside(withoutHints(shape), nameOfShape)]),
      ),
    },
    headers,
    responses: errorAnswers.all,
  };
}

const methodNotAllowed: OpenApiResponse = {
  description: `\`route.method_not_allowed\`: ${errorCatalog['route.method_not_allowed'].message}`,
  content: { 'application/json': { schema: { properties: { key: { enum: ['route.method_not_allowed'] } } } } },
};

function completeResponse(operation: OpenApiOperation, status: number, response: OpenApiResponse): OpenApiResponse {
  const keys = status >= 400 ? response.content?.['application/json']?.schema?.properties?.key?.enum : undefined;
  const names = headerNames(operation, status, response);
  return {
    ...response,
    // The plugin writes this text where a description is missing.
    description: response.description === 'Default Response' ? (STATUS_CODES[status] ?? '') : response.description,
    ...(keys === undefined ? {} : { content: { 'application/json': { schema: errorWith(keys) } } }),
    headers: {
      ...response.headers,
      ...Object.fromEntries(Object.entries(names).map(([header, name]) => [header, named(`headers/${name}`)])),
    },
  };
}

/** Derives an answer's headers from its operation, so that no route has to declare them. */
function headerNames(
  operation: OpenApiOperation,
  status: number,
  { content }: OpenApiResponse,
): Record<string, string> {
  const takes = (place: string, name: string) =>
    operation.parameters?.some((parameter) => parameter.in === place && parameter.name === name) ?? false;
  const schema = content?.['application/json']?.schema;
  const isSuccess = status < 300;
  const isVersioned = isSuccess && (schema?.properties?.version !== undefined || takes('header', 'if-match'));
  const isList = isSuccess && schema?.type === 'array';
  const isKept = takes('header', 'idempotency-key') && (isSuccess || status === 409 || status === 412);
  const isStillRunning = schema?.properties?.key?.enum?.includes('idempotency.in_progress') ?? false;
  return {
    'x-correlation-id': 'CorrelationId',
    ...(isVersioned ? { ETag: 'ETag' } : {}),
    ...(operation.responses?.[304] !== undefined && status < 400 ? { ETag: 'FileETag' } : {}),
    ...(status === 206 || status === 416 ? { 'Content-Range': 'ContentRange' } : {}),
    ...(isList && takes('query', 'cursor') ? { Link: 'Link' } : {}),
    ...(isList && takes('query', 'count')
      ? { 'x-total-count': 'TotalCount', 'x-total-count-relation': 'TotalCountRelation' }
      : {}),
    ...(isKept ? { 'idempotent-replayed': 'IdempotentReplayed' } : {}),
    ...(status === 405 ? { Allow: 'Allow' } : {}),
    ...(status === 429 || status === 503 || isStillRunning ? { 'Retry-After': 'RetryAfter' } : {}),
    ...(status === 429 ? { RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' } : {}),
  };
}

function errorWith(keys: string[]): Schema {
  return { allOf: [named('schemas/Error'), { properties: { key: { enum: keys } } }] };
}

/** Gives equal answers one name: that of their status, numbered if several answers share the status. */
function namedAnswers() {
  const all: Record<string, OpenApiResponse> = {};
  const nameOfContent = new Map<string, string>();
  return {
    all,
    name(status: number, answer: OpenApiResponse): { $ref: string } {
      const content = JSON.stringify(answer);
      let name = nameOfContent.get(content);
      if (name === undefined) {
        const base = (STATUS_CODES[status] ?? String(status)).replaceAll(/[^A-Za-z0-9]/g, '');
        const before = Object.keys(all).filter((other) => other.replace(/\d{1,9}$/, '') === base).length;
        name = before === 0 ? base : `${base}${before + 1}`;
        nameOfContent.set(content, name);
        all[name] = answer;
      }
      return named(`responses/${name}`);
    },
  };
}

function named(path: string): { $ref: string } {
  return { $ref: `#/components/${path}` };
}

/** Replaces each inlined copy of a named shape by a reference. */
function withNames<Value>(value: Value, nameOfShape: Map<string, string>): Value {
  const name = nameOfShape.get(JSON.stringify(value));
  return name === undefined ? withNamesInside(value, nameOfShape) : (named(`schemas/${name}`) as Value);
}

function withNamesInside<Value>(value: Value, nameOfShape: Map<string, string>): Value {
  if (Array.isArray(value)) return value.map((inner) => withNames(inner, nameOfShape)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const named = Object.entries(value).map(([key, inner]) => [key, withNames(inner, nameOfShape)]);
  return Object.fromEntries(named) as Value;
}

/** Removes `x-trim` and `x-empty`, which only the border uses. */
export function withoutHints<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutHints) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'x-trim' && key !== 'x-empty');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutHints(inner)])) as Value;
}
