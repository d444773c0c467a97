import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerBesideTx, answerInTx } from '../../ground/http/idempotency.ts';
import { forEveryone, inWorkspace } from '../../ground/http/operation.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { mailboxCallbackPath as callback } from '../../ground/settings/mailbox-settings.ts';
import { explainDenial } from '../providers/entra-refusals.ts';
import { traitsOf } from '../providers/registry.ts';
import { beginConsent, cookieNameOf, readConsentCookie } from './begin-consent.ts';
import { configuredProvider } from './configured-provider.ts';
import { type ConsentOutcome, codeIn, consentPage } from './consent-page.ts';
import { dropConsent, finishConsent } from './finish-consent.ts';
import {
  beginConsentBody,
  type CallbackQuery,
  callbackQuery,
  consentBegun,
  finishConsentBody,
  mailboxSchema,
} from './schema.ts';

const workspace = inWorkspace('mailboxes');
const everyone = forEveryone('mailboxes');

type InTurn = <Result>(work: () => Promise<Result>, of?: string) => Promise<Result>;
type Cookie = { name: string; value: string; maxAgeSeconds: number };
type ConsentRoutesParts = {
  app: App;
  inTurn: InTurn;
  redirectUri: string;
  setCookie: (reply: FastifyReply, cookie: Cookie) => void;
};

/** @param inTurn limits concurrent calls, because each waits for a provider */
export function consentRoutes(server: Server, app: App, inTurn: InTurn): void {
  const redirectUri = `${app.config.publicUrl}${callback}`;
  const parts = { app, inTurn, redirectUri, setCookie: cookieSetter(redirectUri) };
  beginRoute(server, parts);
  finishRoute(server, parts);
  callbackRoute(server, parts);
}

function cookieSetter(redirectUri: string): ConsentRoutesParts['setCookie'] {
  // A proxy may serve the service below a path of its own.
  const path = new URL(redirectUri).pathname.slice(0, -'/callback'.length);
  const secure = redirectUri.startsWith('https:');
  return (reply, { name, value, maxAgeSeconds: maxAge }) => {
    const options = { path, maxAge, httpOnly: true, sameSite: 'lax', secure } as const;
    reply.header('set-cookie', stringifySetCookie({ name, value, ...options }));
  };
}

function beginRoute(server: Server, { app, redirectUri, setCookie }: ConsentRoutesParts): void {
  const { db, seal } = app;
  workspace.post(server, '/mailboxes/connect', {
    id: 'beginMailboxConsent',
    summary: 'Connect a mailbox by consent',
    description:
      'Send a browser to `consentUrl`. The provider sends it back to this service. ' +
      'The service connects the mailbox if the same browser called this endpoint. ' +
      'In another browser, a page explains how to finish.',
    can: 'mailbox.manage',
    errors: ['mailbox.provider_not_configured', 'idempotency.secret_not_repeatable'],
    body: beginConsentBody,
    answers: { 201: consentBegun },
    handler: (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { provider: _, address, sharedAddress, returnTo, ...options } = request.body;
        const provider = configuredProvider(app, request.body);
        const { cookie, ...begun } = await beginConsent(tx, seal, actor, {
          provider,
          redirectUri,
          address,
          sharedAddress,
          options,
          returnTo,
        });
        setCookie(reply, cookie);
        return { status: 201, body: begun, holdsSecret: true };
      }),
  });
}

function finishRoute(server: Server, { app, inTurn, redirectUri }: ConsentRoutesParts): void {
  workspace.post(server, '/mailboxes/connect/finish', {
    id: 'finishMailboxConsent',
    summary: 'Finish a consent that another browser gave',
    description: 'Only the member who began the consent can finish it, in the same workspace. A state works once.',
    can: 'mailbox.manage',
    errors: [
      'mailbox.consent_expired',
      'mailbox.not_authorized',
      'mailbox.provider_not_configured',
      'mailbox.already_connected',
      'mailbox.too_many',
    ],
    body: finishConsentBody,
    answers: { 201: mailboxSchema },
    handler: (request, reply) => {
      const { workspaceId } = request.params;
      const answer = () =>
        answerBesideTx(app.db, request, reply, async (actor) => ({
          status: 201,
          body: await finishConsent(app, { ...request.body, proof: actor, redirectUri }),
        }));
      return inTurn(answer, workspaceId);
    },
  });
}

function callbackRoute(server: Server, parts: ConsentRoutesParts): void {
  everyone.get(server, callback, {
    id: 'takeMailboxConsent',
    summary: 'Receive the browser that a provider sends back',
    description: 'Returns a page for the person at the browser, or leads back to where the consent began.',
    query: callbackQuery,
    answers: {
      200: { content: { 'text/html': { schema: Type.String() } } },
      303: Type.Null({ description: 'The consent began in the web inbox.' }),
    },
    handler: async ({ query, headers }, reply) => {
      const { state } = query;
      const name = cookieNameOf(state);
      const cookie = readConsentCookie(parseCookie(headers.cookie ?? '')[name]);
      const outcome = await outcomeOf(parts, query, cookie?.browser);
      if (cookie !== undefined) parts.setCookie(reply, { name, value: '', maxAgeSeconds: 0 });
      if (cookie?.returnTo !== undefined && (outcome.kind === 'connected' || outcome.kind === 'refused'))
        return leadBack(reply, parts.app.config.publicUrl, outcome);
      return reply.type('text/html; charset=utf-8').send(consentPage(outcome));
    },
  });
}

async function outcomeOf(
  { app, inTurn, redirectUri }: ConsentRoutesParts,
  query: CallbackQuery,
  browser: string | undefined,
): Promise<ConsentOutcome> {
  const { state, code, error } = query;
  if (query.admin_consent !== undefined)
    return error === undefined ? { kind: 'approved' } : { kind: 'not-approved', code: error };
  if (error !== undefined) return { kind: 'refused', reason: await denialOf(app, { ...query, error }, browser) };
  if (code === undefined) throw invalidRequest({ path: 'query.code', key: 'required' });
  if (browser === undefined) return { kind: 'unfinished' };
  try {
    const { id, address } = await inTurn(() => finishConsent(app, { state, code, proof: { browser }, redirectUri }));
    return { kind: 'connected', id, address };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || (thrown.status >= 500 && thrown.key !== 'unavailable')) throw thrown;
    const { reason } = thrown.params;
    return { kind: 'refused', reason: typeof reason === 'string' ? `${thrown.message} ${reason}` : thrown.message };
  }
}

const refusalSeconds = 300;

/**
 * Leads to the page of the web inbox that shows the outcome. The reason of a refusal is in a cookie, which only this
 * service can set: anybody can write an address.
 */
function leadBack(
  reply: FastifyReply,
  publicUrl: string,
  outcome: ConsentOutcome & { kind: 'connected' | 'refused' },
): FastifyReply {
  const mailboxes = `${publicUrl}/settings/mailboxes`;
  if (outcome.kind === 'connected') return reply.redirect(`${mailboxes}/${outcome.id}?consent=connected`, 303);
  const { pathname: path, protocol } = new URL(mailboxes);
  const cookie = { name: 'kontor_refusal', value: outcome.reason, path, maxAge: refusalSeconds } as const;
  reply.header('set-cookie', stringifySetCookie({ ...cookie, sameSite: 'lax', secure: protocol === 'https:' }));
  return reply.redirect(`${mailboxes}?consent=refused`, 303);
}

/** Drops the consent, so that the person must begin again, and explains the denial. */
async function denialOf(
  { db }: App,
  { state, error, error_description: description = '' }: CallbackQuery & { error: string },
  browser: string | undefined,
): Promise<string> {
  const provider =
    browser === undefined ? undefined : await db.tx((tx) => dropConsent(tx, { state, proof: { browser } }));
  const explained = explainDenial({ error, description });
  if (explained !== undefined) return `${explained}${codeIn(error)}.`;
  const general = `The provider gave no access${codeIn(error)}. Begin again to try once more.`;
  const hint = error === 'access_denied' && provider !== undefined ? traitsOf(provider).approvalHint : null;
  return hint === null ? general : `${general} ${hint}`;
}
