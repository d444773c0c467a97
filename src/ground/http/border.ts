import type {} from '@fastify/swagger';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import Format from 'typebox/format';
import { Settings } from 'typebox/system';
import { AppError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { type Issue, type IssueKey, type IssueParams, issueAt } from '../lib/issues.ts';
import { isTimestamp } from '../lib/timestamp.ts';
import type { Server } from './http.ts';
import { hasBadText, issuesMax, parseJsonBody } from './json-body.ts';
import { normaliseBody, normaliseParameters, overlongLists, type Shape } from './normalise.ts';
import { emailPattern } from './schema.ts';

/**
 * The border checks all input once, against the route's schema. One answer reports all faults, except that an overlong
 * list is reported alone. Path and query parameters are coerced, bodies never. Behind the border, handlers trust their
 * input.
 */
export function installBorder(server: Server): void {
  Format.Set('uuid', isUuid);
  Format.Set('date-time', isTimestamp);
  // TypeBox gathers 8 errors by default. A union reports one error per alternative, hence more than `issuesMax`.
  Settings.Set({ maxErrors: issuesMax * 4 });
  // Fastify's own validation stops at the first part that fails. This hook reports the faults of all parts.
  server.setValidatorCompiler(() => () => true);
  server.addHook('onRoute', (route) => {
    const check = checkOf(route);
    if (check !== undefined) route.preValidation = [...[route.preValidation ?? []].flat(), check];
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (body.length > 0) refuseOtherCodings(request);
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(body.length === 0 ? null : new AppError('request.unsupported_media_type'), {});
  });
}

/**
 * RFC 8259 §8.1: JSON is UTF-8, and US-ASCII is a subset of UTF-8. Compressed bodies are refused, because their
 * unpacked size is unknown.
 */
function refuseOtherCodings({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (coding !== 'identity' || !/^(?:utf-?8|us-ascii)$/i.test(charset))
    throw new AppError('request.unsupported_media_type');
}

type PartCheck = (request: FastifyRequest) => Issue[];

function checkOf(route: RouteOptions) {
  const { params, querystring, body } = (route.schema ?? {}) as Partial<
    Record<'params' | 'querystring' | 'body', TSchema>
  >;
  // The reader of a streamed form checks the form itself.
  const isJson = route.schema?.consumes === undefined;
  const checks: PartCheck[] = [];
  if (params !== undefined) checks.push(parameterCheck('params', 'path', params));
  if (querystring !== undefined) checks.push(parameterCheck('query', 'query', querystring));
  if (body !== undefined && isJson) checks.push(bodyCheck(body));
  if (checks.length === 0) return undefined;
  return async (request: FastifyRequest): Promise<void> => {
    const issues = checks.flatMap((check) => check(request));
    if (issues.length > 0) throw new AppError('request.invalid', { issues: issues.slice(0, issuesMax) });
  };
}

/**
 * Compiles a schema at its first use. Most routes are never called, and compiling all of their schemas took a tenth of
 * each start.
 */
function validatorOf(schema: TSchema): () => Validator {
  let validator: Validator | undefined;
  return () => (validator ??= Compile(schema));
}

function bodyCheck(schema: TSchema): PartCheck {
  const validator = validatorOf(schema);
  const shape = schema as Shape;
  return (request) => {
    // A missing body counts as an empty object; `null` does not.
    const given = request.body === undefined ? {} : request.body;
    // Normalising and reporting a million items took 150 ms, so overlong lists are refused first.
    const overlong = overlongLists(shape, given, 'body');
    if (overlong.length > 0) return overlong;
    const measured = normaliseBody(shape, given, 'check');
    if (!validator().Check(measured)) return issuesOf('body', validator().Errors(measured));
    request.body = normaliseBody(shape, given, 'use');
    return [];
  };
}

function parameterCheck(property: 'params' | 'query', partName: string, schema: TSchema): PartCheck {
  const validator = validatorOf(schema);
  const shape = schema as Shape;
  return (request) => {
    const values = normaliseParameters(shape, request[property] as Record<string, unknown>);
    const bad = Object.keys(values).filter((key) => [values[key]].flat().some((value) => hasBadText(String(value))));
    if (bad.length > 0) return bad.map((key) => issueAt(`${partName}.${key}`, 'bad_text'));
    request[property] = values;
    return validator().Check(values) ? [] : issuesOf(partName, validator().Errors(values));
  };
}

type SchemaError = { instancePath: string; keyword: string; params: object };

/** Keeps one issue per path: each alternative of a union reports an error, and the first error is the most helpful. */
function issuesOf(partName: string, errors: readonly SchemaError[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const { instancePath, keyword, params } of errors) {
    const missing =
      keyword === 'required' ? (params as { requiredProperties: string[] }).requiredProperties : undefined;
    for (const pointer of missing?.map((key) => `${instancePath}/${key}`) ?? [instancePath]) {
      const path = `${partName}${pointer.replaceAll('/', '.')}`;
      if (!issues.has(path)) issues.set(path, issueAt(path, ...reasonOf(keyword, params)));
    }
  }
  // A fault inside an object is more helpful than "must be null" about the object.
  const paths = [...issues.keys()];
  return [...issues.values()].filter(({ path }) => !paths.some((other) => other.startsWith(`${path}.`)));
}

const keyOfKeyword: Readonly<Record<string, IssueKey>> = {
  required: 'required',
  // The schema of undeclared fields is `false`.
  boolean: 'not_a_field',
  type: 'wrong_type',
  anyOf: 'wrong_form',
  enum: 'not_a_choice',
  const: 'not_a_choice',
  format: 'wrong_format',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  uniqueItems: 'repeated_items',
  minimum: 'too_small',
  maximum: 'too_large',
};

/** Why a value breaks a keyword of JSON Schema. */
function reasonOf(keyword: string, params: object): [IssueKey, IssueParams] {
  const { type, format, limit, pattern } = params as Record<string, unknown>;
  if (keyword === 'pattern') return [pattern === emailPattern ? 'not_an_address' : 'wrong_form', {}];
  if (keyword === 'minLength' && limit === 1) return ['empty', {}];
  const named = {
    ...(type !== undefined && { type: [type].flat().join(' or ') }),
    ...(format !== undefined && { format: String(format) }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
  return [keyOfKeyword[keyword] ?? 'not_valid', named];
}
