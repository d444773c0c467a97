import { STATUS_CODES } from 'node:http';
import { errorCatalog } from '../lib/errors.ts';

/** The parts of an OpenAPI document that are touched here. */
export type OpenApiDocument = {
  components?: Record<string, Record<string, unknown>>;
  paths?: Record<string, Record<string, OpenApiOperation>>;
  tags?: { name: string }[];
};
type OpenApiOperation = { tags?: string[]; responses?: Record<string, OpenApiResponse> };
type OpenApiResponse = {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema?: Schema }>;
};
type Schema = { properties?: Record<string, Schema>; enum?: string[]; allOf?: object[] };

const text = { schema: { type: 'string' } };
const headers: Record<string, object> = {
  CorrelationId: {
    description: "The caller's `x-correlation-id`, or a new one; it is on every log line of the request.",
    ...text,
  },
  ETag: { description: 'The version of the ticket, for `If-Match`.', ...text },
  RetryAfter: { description: 'Seconds until it is worth trying again.', schema: { type: 'integer' } },
  RateLimit: { description: 'What is left of the limit, and for how many seconds.', ...text },
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
 * Adds what is the same for every answer: its headers, its description, and the one shape of errors. Equal error answers are
 * named once and referred to, or they would be nine tenths of the document. Changes the document.
 */
export function completeDocument(document: OpenApiDocument): void {
  const errorAnswers = namedAnswers();
  const tagsInUse = new Set<string>();
  for (const operations of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(operations)) {
      const answers = Object.entries(operation.responses ?? {}).map(([status, response]) => {
        const complete = completeResponse(Number(status), response);
        return [status, Number(status) < 400 ? complete : errorAnswers.name(Number(status), complete)];
      });
      for (const tag of operation.tags ?? []) tagsInUse.add(tag);
      operation.responses = Object.fromEntries(answers);
    }
  }
  document.tags = document.tags?.filter(({ name }) => tagsInUse.has(name)) ?? [];
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Error: errorSchema },
    headers,
    responses: errorAnswers.all,
  };
}

function completeResponse(status: number, response: OpenApiResponse): OpenApiResponse {
  const body = response.content?.['application/json'];
  const keys = status >= 400 ? body?.schema?.properties?.key?.enum : undefined;
  const isVersioned = status < 300 && body?.schema?.properties?.version !== undefined;
  return {
    ...response,
    // The plugin's own words for a description that nobody wrote.
    description: response.description === 'Default Response' ? (STATUS_CODES[status] ?? '') : response.description,
    ...(keys === undefined ? {} : { content: { 'application/json': { schema: errorWith(keys) } } }),
    headers: {
      ...response.headers,
      'x-correlation-id': named('headers/CorrelationId'),
      ...(isVersioned ? { ETag: named('headers/ETag') } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': named('headers/RetryAfter') } : {}),
      ...(status === 429
        ? { RateLimit: named('headers/RateLimit'), 'RateLimit-Policy': named('headers/RateLimitPolicy') }
        : {}),
    },
  };
}

function errorWith(keys: string[]): Schema {
  return { allOf: [named('schemas/Error'), { properties: { key: { enum: keys } } }] };
}

/** Gives equal answers one name: that of their status, numbered when there are several. */
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
        const before = Object.keys(all).filter((other) => other.replace(/\d+$/, '') === base).length;
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

/** Our own hints to the border (`x-trim`, `x-empty`) are nobody else's business. */
export function withoutHints<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutHints) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'x-trim' && key !== 'x-empty');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutHints(inner)])) as Value;
}
