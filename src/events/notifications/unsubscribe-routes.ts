import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { acceptSmallForms, formTypes } from '../../ground/http/small-forms.ts';
import { type AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { type Language, languageOfHeader } from '../../ground/lib/language.ts';
import { findUnsubscribing, unsubscribe } from './unsubscribe.ts';
import { oneClick, unsubscribePage } from './unsubscribe-page.ts';
import { unsubscribePath } from './unsubscribe-token.ts';

const everyone = forEveryone('notifications');
const html = 'text/html; charset=utf-8';
const querystring = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });
const response = { 200: { content: { 'text/html': { schema: Type.String() } } } };

export function unsubscribeRoutes(server: Server, app: App): void {
  everyone.get(server, unsubscribePath, {
    id: 'askToUnsubscribe',
    summary: 'Show the page behind the unsubscribe link',
    description: 'Changes nothing, so that programs which prefetch links do not unsubscribe anyone.',
    query: querystring,
    answers: response,
    handler: async (request, reply) => {
      if ((await findUnsubscribing(app.db, request.query.token)) === undefined) throw badToken();
      return reply.type(html).send(unsubscribePage('asked', languageFor(request)));
    },
  });

  // RFC 8058 §3.2 has two content types. Such a form has one field and little else.
  acceptSmallForms(server, (scope) => oneClickRoute(scope, app));
}

function oneClickRoute(server: Server, { db }: App): void {
  everyone.post(server, unsubscribePath, {
    id: 'unsubscribe',
    summary: 'Stop mails about notifications',
    description: 'Mail programs call this by themselves (RFC 8058). The token in the mail replaces a sign-in.',
    bodyLimit: formBytesMax,
    consumes: formTypes,
    query: querystring,
    body: Type.Object({ [oneClick.name]: Type.Literal(oneClick.value) }),
    answers: response,
    handler: async (request, reply) => {
      // The parsers below turn every body into FormData. They do not run without a body.
      const form = request.body as unknown as FormData | undefined;
      if (form?.get(oneClick.name) !== oneClick.value)
        throw invalidRequest({
          path: `body.${oneClick.name}`,
          key: 'not_the_value',
          params: { value: oneClick.value },
        });
      if (!(await db.tx((tx) => unsubscribe(tx, request.query.token)))) throw badToken();
      return reply.type(html).send(unsubscribePage('done', languageFor(request)));
    },
  });
}

function languageFor(request: FastifyRequest): Language {
  return languageOfHeader(request.headers['accept-language']) ?? 'en';
}

const formBytesMax = 16 * 1024;

function badToken(): AppError {
  return invalidRequest({ path: 'query.token', key: 'bad_token' });
}
