import type {} from '@fastify/swagger';
import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { keysMay, permissions } from '../catalog/permissions.ts';
import { type ErrorKey, errorCatalog } from '../lib/error-catalog.ts';
import type { Server } from './http.ts';
import { uuid } from './schema.ts';

/**
 * Adds the gate's and the border's errors, headers and security scheme to each route's schema, so that the OpenAPI
 * document lists every status. Refuses routes that declare no audience. Refuses routes that hide from the document,
 * because the tests that try every route read the document.
 */
export function installRouteSchema(server: Server, mayHide: (url: string) => boolean): void {
  server.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') return;
    if (route.schema?.hide === true) {
      if (!mayHide(route.url))
        throw new Error(`${route.method} ${route.url} may not be hidden from the OpenAPI document`);
      return;
    }
    const { can, signedIn, public: isPublic } = route.config ?? {};
    if ([can, signedIn, isPublic].filter(Boolean).length !== 1) {
      throw new Error(`${route.method} ${route.url} must declare exactly one of can, signedIn and public`);
    }
    if (route.schema?.operationId === undefined) throw new Error(`${route.method} ${route.url} has no operationId`);
    const schema = { ...route.schema };
    schema.response = { ...errorResponses(errorsOf(route)), ...(schema.response as object) };
    schema.security = isPublic ? [] : [{ accessToken: [] }, { sessionCookie: [] }];
    if (can !== undefined) {
      schema.headers = Type.Object({ 'x-workspace-id': uuid, ...headersOf(route) });
      const who = `Roles: ${permissions[can].join(', ')}.${keysMay(can) ? '' : ' Not with an API key.'}`;
      schema.description = [schema.description, who].filter(Boolean).join('\n\n');
    }
    route.schema = schema;
  });
}

function headersOf(route: RouteOptions) {
  return {
    ...(route.method === 'POST'
      ? {
          'idempotency-key': Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              description: 'A repeat with the same key and body within 24 hours gets the stored answer.',
            }),
          ),
        }
      : {}),
    ...(route.config?.errors?.some((key) => key.endsWith('.version_mismatch'))
      ? { 'if-match': Type.Optional(Type.String({ description: 'The `ETag` of the version to change.' })) }
      : {}),
  };
}

function errorsOf(route: RouteOptions): ErrorKey[] {
  const { can, signedIn, probe, errors = [] } = route.config ?? {};
  const hasInput = route.schema?.params ?? route.schema?.querystring ?? route.schema?.body;
  return [
    ...errors,
    ...(hasInput ? (['request.invalid'] as const) : []),
    // An address or a header can be too long, too.
    'request.too_large',
    ...(route.method !== 'GET'
      ? (['request.malformed_json', 'request.timeout', 'request.unsupported_media_type'] as const)
      : []),
    ...(can || signedIn ? (['auth.token_missing', 'auth.token_invalid', 'auth.token_expired'] as const) : []),
    ...((can || signedIn) && route.method !== 'GET' ? (['auth.cross_site'] as const) : []),
    ...(can
      ? ([
          'workspace.header_missing',
          'workspace.header_mismatch',
          'workspace.forbidden',
          'workspace.second_factor_required',
          'auth.role_insufficient',
        ] as const)
      : []),
    ...(signedIn || (can && !keysMay(can)) ? (['auth.session_required'] as const) : []),
    ...(can && route.method === 'POST'
      ? (['idempotency.key_reused', 'idempotency.in_progress', 'idempotency.answer_deleted'] as const)
      : []),
    ...(probe ? [] : (['rate_limited'] as const)),
    'internal',
    'unavailable',
  ];
}

function errorResponses(keys: readonly ErrorKey[]): Record<number, object> {
  const byStatus = Map.groupBy([...new Set(keys)], (key) => errorCatalog[key].status);
  return Object.fromEntries(
    [...byStatus].map(([status, statusKeys]) => [
      status,
      Type.Object(
        {
          key: Type.Unsafe<string>({ type: 'string', enum: statusKeys }),
          params: Type.Object({}, { additionalProperties: true }),
          fallbackMessage: Type.String(),
        },
        { description: statusKeys.map((key) => `\`${key}\`: ${errorCatalog[key].message}`).join('\n\n') },
      ),
    ]),
  );
}
