import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerBesideTx, answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { disconnectMailbox, pauseMailbox, resumeMailbox, syncNow, updateMailbox } from './change-mailbox.ts';
import { checkRoutes } from './check/check-routes.ts';
import { connectMailbox } from './connect-mailbox.ts';
import { consentRoutes } from './consent-routes.ts';
import { checkDefaultAssignee } from './default-assignee.ts';
import { askToListen } from './listening/ask-to-listen.ts';
import { getMailbox, listMailboxes } from './queries.ts';
import { type ConnectOptions, connectMailboxBody, mailboxParams, mailboxSchema, updateMailboxBody } from './schema.ts';
import { discoverRoutes } from './servers/discover-routes.ts';
import { intakeRoutes } from './servers/intake-routes.ts';
import { serverRoutes } from './servers/server-routes.ts';
import { verifyAccess } from './servers/verify-access.ts';

const mailboxes = '/v1/workspaces/:workspaceId/mailboxes';
const mailbox = `${mailboxes}/:mailboxId`;
const tags = ['mailboxes'];
const read = { can: 'mailbox.read' } as const;
const manage = { can: 'mailbox.manage' } as const;
const manageOne = { ...manage, errors: ['mailbox.not_found'] } as const;

/** Limit per process: each connect waits for a provider, and with an Idempotency-Key it holds a database connection. */
const connectsAtOnceMax = 4;

export function mailboxRoutes(server: Server, app: App): void {
  const inTurn = inTurns(connectsAtOnceMax);
  readRoutes(server, app);
  connectRoute(server, app, inTurn);
  consentRoutes(server, app, inTurn);
  changeRoutes(server, app);
  stateRoutes(server, app);
  checkRoutes(server, app, inTurn);
  discoverRoutes(server, app, inTurn);
  intakeRoutes(server, app, inTurn);
  serverRoutes(server, app, inTurn);
}

function readRoutes(server: Server, { db }: App): void {
  server.get(
    mailboxes,
    {
      config: read,
      schema: {
        operationId: 'listMailboxes',
        summary: 'List the connected mailboxes by address',
        tags,
        params: workspaceParams,
        response: { 200: Type.Array(mailboxSchema) },
      },
    },
    (request) => listMailboxes(db, actorOf(request).workspaceId),
  );

  server.get(
    mailbox,
    {
      config: { ...read, errors: ['mailbox.not_found'] },
      schema: {
        operationId: 'readMailbox',
        summary: 'Read a mailbox and its state',
        tags,
        params: mailboxParams,
        response: { 200: mailboxSchema },
      },
    },
    (request) => getMailbox(db, { workspaceId: actorOf(request).workspaceId, mailboxId: request.params.mailboxId }),
  );
}

function connectRoute(server: Server, app: App, inTurn: ReturnType<typeof inTurns>): void {
  const { db, live, seal } = app;
  server.post(
    mailboxes,
    {
      config: {
        ...manage,
        errors: [
          'mailbox.provider_not_configured',
          'mailbox.not_authorized',
          'mailbox.already_connected',
          'mailbox.too_many',
          'mailbox.sign_in_paused',
        ],
      },
      schema: {
        operationId: 'connectMailbox',
        summary: 'Connect a mailbox with a refresh token, or at any IMAP server',
        description:
          'For automation. A token must belong to the application that this service uses at the provider. ' +
          'An IMAP mailbox needs its servers and a password instead. The service tries the access first. ' +
          'A known mailbox that does not work is connected again; options that are left out keep their values.',
        tags,
        params: workspaceParams,
        body: connectMailboxBody,
        response: { 201: mailboxSchema },
      },
    },
    (request, reply) => {
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
  );
}

function changeRoutes(server: Server, { db }: App): void {
  server.patch(
    mailbox,
    {
      config: manageOne,
      schema: {
        operationId: 'updateMailbox',
        summary: 'Change the name, ticket defaults, signature and aliases of a mailbox',
        description:
          'Null clears `name`, `defaultAssigneeId` and `signature`; ' +
          '`defaultTags` and `aliases` replace the whole list.',
        tags,
        params: mailboxParams,
        body: updateMailboxBody,
        response: { 200: mailboxSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await updateMailbox(tx, actor, { ...request.body, mailboxId: request.params.mailboxId }),
      })),
  );

  server.delete(
    mailbox,
    {
      config: manageOne,
      schema: {
        operationId: 'disconnectMailbox',
        summary: 'Disconnect a mailbox',
        description: 'Its tickets stay. After connecting again it is the same mailbox.',
        tags,
        params: mailboxParams,
        response: { 204: Type.Null({ description: 'The mailbox is disconnected.' }) },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await disconnectMailbox(tx, actor, request.params);
        return { status: 204, body: null };
      }),
  );
}

const stateVerbs = [
  {
    verb: 'pause',
    operationId: 'pauseMailbox',
    change: pauseMailbox,
    summary: 'Pause a mailbox: stop reading and sending until it is resumed',
  },
  {
    verb: 'resume',
    operationId: 'resumeMailbox',
    change: resumeMailbox,
    summary: 'Resume a mailbox',
    description: 'Fetches the mail that came meanwhile and sends waiting answers.',
  },
];

function stateRoutes(server: Server, { db, live }: App): void {
  for (const { verb, change, ...text } of stateVerbs) {
    server.post(
      `${mailbox}/${verb}`,
      {
        config: manageOne,
        schema: {
          ...text,
          tags,
          params: mailboxParams,
          response: { 200: mailboxSchema },
        },
      },
      async (request, reply) => {
        await answerInTx(db, request, reply, async (tx, actor) => ({
          status: 200,
          body: await change(tx, actor, request.params),
        }));
        askToListen(live, actorOf(request).workspaceId);
      },
    );
  }

  server.post(
    `${mailbox}/sync`,
    {
      config: { ...manage, errors: ['mailbox.not_found', 'mailbox.not_active'] },
      schema: {
        operationId: 'syncMailbox',
        summary: 'Look for new mail now',
        tags,
        params: mailboxParams,
        response: { 202: { ...mailboxSchema, description: 'The sync is queued.' } },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 202,
        body: await syncNow(tx, actor, request.params),
      })),
  );
}
