import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerBesideTx, answerInTx } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { disconnectMailbox, pauseMailbox, resumeMailbox, syncNow, updateMailbox } from './change-mailbox.ts';
import { checkRoutes } from './check/check-routes.ts';
import { connectMailbox } from './connect-mailbox.ts';
import { consentRoutes } from './consent-routes.ts';
import { checkDefaultAssignee } from './default-assignee.ts';
import { askToListen } from './listening/ask-to-listen.ts';
import { getMailbox, listMailboxes } from './queries.ts';
import { type ConnectOptions, connectMailboxBody, mailboxParams, mailboxSchema, updateMailboxBody } from './schema.ts';
import { trySenders } from './servers/ask-servers.ts';
import { discoverRoutes } from './servers/discover-routes.ts';
import { intakeRoutes } from './servers/intake-routes.ts';
import { serverRoutes } from './servers/server-routes.ts';
import { verifyAccess } from './servers/verify-access.ts';

const workspace = inWorkspace('mailboxes');
const manageOne = { can: 'mailbox.manage', errors: ['mailbox.not_found'] } as const;

/** Limit per process: each connect waits for a provider, and with an Idempotency-Key it holds a database connection. */
const connectsAtOnceMax = 4;

export function mailboxRoutes(server: Server, app: App): void {
  const inTurn = inTurns(connectsAtOnceMax);
  readRoutes(server, app);
  connectRoute(server, app, inTurn);
  consentRoutes(server, app, inTurn);
  changeRoutes(server, app, inTurn);
  stateRoutes(server, app);
  checkRoutes(server, app, inTurn);
  discoverRoutes(server, app, inTurn);
  intakeRoutes(server, app, inTurn);
  serverRoutes(server, app, inTurn);
}

function readRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/mailboxes', {
    id: 'listMailboxes',
    summary: 'List the connected mailboxes by address',
    can: 'mailbox.read',
    answers: { 200: Type.Array(mailboxSchema) },
    handler: ({ actor }) => listMailboxes(db, actor.workspaceId),
  });

  workspace.get(server, '/mailboxes/:mailboxId', {
    id: 'readMailbox',
    summary: 'Read a mailbox and its state',
    can: 'mailbox.read',
    errors: ['mailbox.not_found'],
    params: mailboxParams,
    answers: { 200: mailboxSchema },
    handler: ({ actor, params }) => getMailbox(db, { workspaceId: actor.workspaceId, mailboxId: params.mailboxId }),
  });
}

function connectRoute(server: Server, app: App, inTurn: ReturnType<typeof inTurns>): void {
  const { db, live, seal } = app;
  workspace.post(server, '/mailboxes', {
    id: 'connectMailbox',
    summary: 'Connect a mailbox with a refresh token, or at any IMAP server',
    description:
      'For automation. A token must belong to the application that this service uses at the provider. ' +
      'An IMAP mailbox needs its servers and a password instead. The service tries the access first. ' +
      'A known mailbox that does not work is connected again; options that are left out keep their values.',
    can: 'mailbox.manage',
    errors: [
      'mailbox.provider_not_configured',
      'mailbox.not_authorized',
      'mailbox.already_connected',
      'mailbox.too_many',
      'mailbox.sign_in_paused',
    ],
    body: connectMailboxBody,
    answers: { 201: mailboxSchema },
    handler: (request, reply) => {
      const { name, defaultAssigneeId, defaultTags, signature, historyDays } = request.body;
      const given = { name, defaultAssigneeId, defaultTags, signature, historyDays };
      const options: ConnectOptions = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      );
      const answer = () =>
        answerBesideTx(db, request, reply, async (actor) => {
          await checkDefaultAssignee(db, actor.workspaceId, defaultAssigneeId);
          const access = await verifyAccess(app, actor.workspaceId, request.body);
          const connection = { provider: request.body.provider, options, ...access };
          const body = await db.tx((tx) => connectMailbox(tx, seal, actor, connection));
          askToListen(live, actor.workspaceId);
          return { status: 201, body };
        });
      return inTurn(answer, request.params.workspaceId);
    },
  });
}

function changeRoutes(server: Server, app: App, inTurn: ReturnType<typeof inTurns>): void {
  workspace.patch(server, '/mailboxes/:mailboxId', {
    id: 'updateMailbox',
    summary: 'Change the name, ticket defaults, team, signature, aliases and senders of a mailbox',
    description:
      'Null clears `name`, `defaultAssigneeId`, `teamId`, `signature` and `whenAnswered`; ' +
      '`defaultTags`, `aliases` and `sendAs` replace the whole list. ' +
      'New addresses of `sendAs` are first tried at the mail server.',
    can: 'mailbox.manage',
    errors: ['mailbox.not_found', 'mailbox.not_authorized', 'mailbox.sign_in_paused', 'unavailable'],
    params: mailboxParams,
    body: updateMailboxBody,
    answers: { 200: mailboxSchema },
    handler: (request, reply) => {
      const { params, body } = request;
      const { workspaceId, mailboxId } = params;
      const { sendAs } = body;
      const change = async (tx: Tx, actor: Actor) => ({
        status: 200,
        body: await updateMailbox(tx, actor, { ...body, mailboxId }),
      });
      if (sendAs === undefined) return answerInTx(app.db, request, reply, change);
      const answer = () =>
        answerBesideTx(app.db, request, reply, async (actor) => {
          await trySenders(app, { workspaceId, mailboxId }, sendAs);
          return app.db.tx((tx) => change(tx, actor));
        });
      return inTurn(answer, workspaceId);
    },
  });

  workspace.delete(server, '/mailboxes/:mailboxId', {
    id: 'disconnectMailbox',
    summary: 'Disconnect a mailbox',
    description: 'Its tickets stay. After connecting again it is the same mailbox.',
    ...manageOne,
    errors: [...manageOne.errors, 'in_use'],
    params: mailboxParams,
    answers: { 204: Type.Null({ description: 'The mailbox is disconnected.' }) },
    inTx: (tx, { actor, params }) => disconnectMailbox(tx, actor, params),
  });
}

const stateVerbs = [
  {
    verb: 'pause',
    id: 'pauseMailbox',
    change: pauseMailbox,
    summary: 'Pause a mailbox: stop reading and sending until it is resumed',
  },
  {
    verb: 'resume',
    id: 'resumeMailbox',
    change: resumeMailbox,
    summary: 'Resume a mailbox',
    description: 'Fetches the mail that came meanwhile and sends waiting answers.',
  },
];

function stateRoutes(server: Server, { live }: App): void {
  for (const { verb, change, ...text } of stateVerbs) {
    workspace.post(server, `/mailboxes/:mailboxId/${verb}`, {
      ...text,
      ...manageOne,
      params: mailboxParams,
      answers: { 200: mailboxSchema },
      inTx: (tx, { actor, params }) => change(tx, actor, params),
      afterwards: ({ actor }) => askToListen(live, actor.workspaceId),
    });
  }

  workspace.post(server, '/mailboxes/:mailboxId/sync', {
    id: 'syncMailbox',
    summary: 'Look for new mail now',
    can: 'mailbox.manage',
    errors: ['mailbox.not_found', 'mailbox.not_active'],
    params: mailboxParams,
    answers: { 202: { ...mailboxSchema, description: 'The sync is queued.' } },
    inTx: (tx, { actor, params }) => syncNow(tx, actor, params),
  });
}
