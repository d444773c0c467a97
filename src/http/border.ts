import type {} from '@fastify/swagger';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import { Settings } from 'typebox/system';
import { AppError, type Issue } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { isTimestamp } from '../lib/timestamp.ts';
import type { Server } from './http.ts';
import { badTextMessage, hasBadText, issuesMax, parseJsonBody } from './json-body.ts';
import { normaliseBody, normaliseParameters, overlongLists, type Shape } from './normalise.ts';

/**
 * The border: everything that comes in is checked here once, against the route's schema. All faults are reported at once, except
 * that an overlong list is reported alone. Bodies are never coerced, path and query strings are. Behind the border, handlers
 * trust their input.
 */
export function installBorder(server: Server): void {
  Format.Set('uuid', isUuid);
  Format.Set('date-time', isTimestamp);
  // It gathers 8 unless told; more than we tell of, because a union complains once an alternative.
  Settings.Set({ maxErrors: issuesMax * 4 });
  // Fastify's own validation stops at the first part that fails; ours tells of all of them.
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

/** RFC 8259 §8.1: JSON is UTF-8, of which US-ASCII is a part. Compressed bodies are not taken: their size is not known. */
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
  // What is no JSON, a form that streams, is checked as it is read.
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

function bodyCheck(schema: TSchema): PartCheck {
  const validator = Compile(schema);
  const shape = schema as Shape;
  return (request) => {
    // A missing body counts as an empty object; `null` does not.
    const given = request.body === undefined ? {} : request.body;
    // A million items took 150 ms to normalise and report.
    const overlong = overlongLists(shape, given, 'body');
    if (overlong.length > 0) return overlong;
    const measured = normaliseBody(shape, given, 'check');
    if (!validator.Check(measured)) return issuesOf('body', validator.Errors(measured));
    request.body = normaliseBody(shape, given, 'use');
    return [];
  };
}

function parameterCheck(property: 'params' | 'query', partName: string, schema: TSchema): PartCheck {
  const validator = Compile(schema);
  const shape = schema as Shape;
  return (request) => {
    const values = normaliseParameters(shape, request[property] as Record<string, unknown>);
    const bad = Object.keys(values).filter((key) => [values[key]].flat().some((value) => hasBadText(String(value))));
    if (bad.length > 0) return bad.map((key) => ({ path: `${partName}.${key}`, message: badTextMessage }));
    request[property] = values;
    return validator.Check(values) ? [] : issuesOf(partName, validator.Errors(values));
  };
}

type SchemaError = { instancePath: string; message: string; keyword: string; params: object };

/** One issue a place: a union's alternatives each complain, the first complaint is the telling one. */
function issuesOf(partName: string, errors: readonly SchemaError[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const { instancePath, message, keyword, params } of errors) {
    const missing =
      keyword === 'required' ? (params as { requiredProperties: string[] }).requiredProperties : undefined;
    for (const pointer of missing?.map((key) => `${instancePath}/${key}`) ?? [instancePath]) {
      const path = `${partName}${pointer.replaceAll('/', '.')}`;
      if (!issues.has(path)) issues.set(path, { path, message: missing ? 'is required' : message });
    }
  }
  // "must be null" about an object says less than what is wrong inside it.
  const paths = [...issues.keys()];
  return [...issues.values()].filter(({ path }) => !paths.some((other) => other.startsWith(`${path}.`)));
}
