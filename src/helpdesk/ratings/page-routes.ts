import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { lowerLimit } from '../../ground/http/rate-limit.ts';
import { acceptSmallForms, formTypes } from '../../ground/http/small-forms.ts';
import { languageOfHeader } from '../../ground/lib/language.ts';
import { answerAsk, noteScan, type Outcome } from './answer-ask.ts';
import { askDaysMax, findOpenAsk, type OpenAsk } from './ask.ts';
import { bestOf, commentMax } from './schema.ts';
import { type AskKey, type Step, surveyPath } from './survey-links.ts';
import { askPage, confirmPage, notePage, pageHeaders } from './survey-page.ts';

const everyone = forEveryone('surveys');
const path = `${surveyPath}/:token`;
const params = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });
const pageAnswers = {
  200: { content: { 'text/html': { schema: Type.String() } } },
  204: Type.Null({ description: 'A program loads the page ahead of a person.' }),
  404: { content: { 'text/html': { schema: Type.String() } } },
};
/** A comment of the longest kind takes twelve bytes a letter. */
const formBytesMax = 12 * commentMax + 4_096;
const cookieName = 'kontor-survey';
/** Of one address. */
const visitsPerMinuteMax = 30;

/** The page on which a customer answers, at a signed address and without sign-in. */
export function surveyPageRoutes(server: Server, app: App): void {
  const onRequest = lowerLimit(server, visitsPerMinuteMax);
  showRoute(server, app, onRequest);
  acceptSmallForms(server, (scope) => answerRoute(scope, app, onRequest));
}

type Limit = ReturnType<typeof lowerLimit>;

function showRoute(server: Server, app: App, onRequest: Limit): void {
  const { db, clock, surveyLinks } = app;
  everyone.get(server, path, {
    id: 'showSurveyPage',
    summary: 'Show a customer the question behind a link of a mail',
    description: 'Keeps no answer, so that programs which open links do not answer for anybody.',
    onRequest,
    params,
    query: Type.Object({ score: Type.Optional(Type.String({ maxLength: 10 })) }),
    answers: pageAnswers,
    handler: async (request, reply) => {
      if (isAhead(request)) return reply.code(204).send();
      const key = surveyLinks.read(request.params.token);
      if (key === undefined) return gone(request, reply);
      if (key.kind === 'trap') {
        await db.tx((tx) => noteScan(tx, key));
        return gone(request, reply);
      }
      const ask = await findOpenAsk(db, { ...key, now: clock.now() });
      if (ask === undefined) return gone(request, reply);
      const score = Number(request.query.score);
      const visitor = visitorOf(app, request, reply);
      const isOwn = ask.visitor === surveyLinks.hashOf(key, visitor);
      if (ask.score !== null && ask.doubt === null && !isOwn) return send(reply, notePage(ask.language, 'answered'));
      const chosen = score >= 1 && score <= bestOf[ask.scale] ? Math.trunc(score) : isOwn ? ask.score : null;
      const comment = isOwn ? ask.comment : null;
      return send(reply, askPage({ ...ask, score: chosen, comment }, formFor(app, key, visitor, 'answer')));
    },
  });
}

function answerRoute(server: Server, app: App, onRequest: Limit): void {
  const { db, clock, surveyLinks } = app;
  everyone.post(server, path, {
    id: 'answerSurvey',
    summary: 'Keep the answer of a customer, whom the page sends here',
    description: 'Takes the form of the page alone, with the cookie of the page.',
    bodyLimit: formBytesMax,
    onRequest,
    consumes: formTypes,
    params,
    body: Type.Object({ form: Type.String(), score: Type.String(), comment: Type.Optional(Type.String()) }),
    answers: { 200: pageAnswers[200], 404: pageAnswers[404] },
    handler: async (request, reply) => {
      const key = surveyLinks.read(request.params.token);
      if (key === undefined || key.kind === 'trap') return gone(request, reply);
      const form = request.body as unknown as FormData | undefined;
      const field = (name: string) => {
        const value = form?.get(name);
        return typeof value === 'string' ? value : '';
      };
      const given = { score: Number(field('score')), comment: field('comment') };
      const ask = await findOpenAsk(db, { ...key, now: clock.now() });
      if (ask === undefined) return gone(request, reply);
      const visitor = visitorIn(request);
      const shown = visitor === undefined ? undefined : surveyLinks.readForm(field('form'), { ...key, visitor });
      if (visitor === undefined || shown === undefined) return askAgain(app, request, reply, { ask, given });
      const hash = surveyLinks.hashOf(key, visitor);
      const outcome = await db.tx((tx) => answerAsk(tx, key, { ...given, ...shown, visitor: hash }));
      return answerWith(app, request, reply, { ask, given, visitor, outcome });
    },
  });
}

type Given = { score: number; comment: string };

function answerWith(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { ask, given, visitor, outcome }: { ask: OpenAsk; given: Given; visitor: string; outcome: Outcome },
) {
  if (outcome === 'gone') return gone(request, reply);
  if (outcome === 'bad') return askAgain(app, request, reply, { ask, given: { ...given, score: 0 } });
  if (outcome === 'counts') return send(reply, notePage(ask.language, 'thanks'));
  if (outcome === 'ignored') return send(reply, notePage(ask.language, 'answered'));
  return send(reply, confirmPage({ ...ask, ...given }, formFor(app, ask, visitor, 'confirm')));
}

/** Without its cookie, or with a form of long ago, nothing is kept. A person presses the button once more. */
function askAgain(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { ask, given }: { ask: OpenAsk; given: Given },
) {
  const visitor = visitorOf(app, request, reply);
  const score = Number.isInteger(given.score) && given.score <= bestOf[ask.scale] ? given.score : null;
  return send(reply, askPage({ ...ask, ...given, score }, formFor(app, ask, visitor, 'answer'), { isAgain: true }));
}

function formFor({ clock, surveyLinks }: App, { workspaceId, askId }: AskKey, visitor: string, step: Step): string {
  return surveyLinks.formOf({ workspaceId, askId, visitor, step, shownAtMs: clock.now().getTime() });
}

/** Browsers and proxies say when nobody has opened the page yet. */
function isAhead({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'HEAD' ||
    [headers.purpose, headers['sec-purpose'], headers['x-moz']].some((value) => /prefetch/i.test(String(value)))
  );
}

function visitorIn({ headers }: FastifyRequest): string | undefined {
  const value = parseCookie(headers.cookie ?? '')[cookieName];
  return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined;
}

/** The visitor of the cookie; a new one gets a cookie. */
function visitorOf({ surveyLinks, config }: App, request: FastifyRequest, reply: FastifyReply): string {
  const known = visitorIn(request);
  if (known !== undefined) return known;
  const value = surveyLinks.newVisitor();
  const secure = config.publicUrl.startsWith('https:');
  const options = { path: surveyPath, httpOnly: true, sameSite: 'lax', secure, maxAge: askDaysMax * 86_400 } as const;
  reply.header('set-cookie', stringifySetCookie({ name: cookieName, value, ...options }));
  return value;
}

/** The same for every address that leads nowhere, so that it tells nothing. */
function gone({ headers }: FastifyRequest, reply: FastifyReply) {
  return send(reply.code(404), notePage(languageOfHeader(headers['accept-language']) ?? 'en', 'gone'));
}

function send(reply: FastifyReply, html: string) {
  return reply.headers(pageHeaders).type('text/html; charset=utf-8').send(html);
}
