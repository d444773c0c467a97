import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { ownClientState, providerKeys } from '../../mail/providers/registry.ts';
import { readGraphBody } from './graph-notification.ts';
import type { Intake } from './intake.ts';
import { secretJudge } from './known-secret.ts';
import { openUnverified } from './note-unverified.ts';
import { unproven } from './poke.ts';
import { bodyBytesMax, graphBody, queuedAnswer, tokenAnswer, validationQuery, webhookErrors } from './schema.ts';
import { echoToken, tokenMissing } from './validation-token.ts';

const key = providerKeys.microsoft;
const path = `/v1/webhooks/${key}`;
const everyone = forEveryone('webhooks');
const common = {
  errors: webhookErrors,
  probe: true,
  bodyLimit: bodyBytesMax,
  query: validationQuery,
  body: graphBody,
  answers: { 200: tokenAnswer, 202: queuedAnswer },
} as const;

type GraphParts = {
  app: App;
  intake: Intake;
  /** The settings have no secret: every caller is accepted, and only our own subscriptions count as proven. */
  isOpen: boolean;
  isSecret: (given: unknown) => boolean;
  refuse: (items: number) => never;
};

/** Graph proves each item with the secret of its subscription. */
export function graphRoutes(server: Server, app: App, intake: Intake): void {
  const { config, webhookTally } = app;
  const { webhookSecrets } = config.microsoft;
  const isOpen = webhookSecrets.length === 0;
  const isSecret = secretJudge(isOpen ? [ownClientState(config.authSecret)] : webhookSecrets);
  const refuse = (items: number): never => {
    webhookTally.add(key, 'unverified', items);
    throw new AppError('webhook.unverified');
  };
  validationRoute(server, path, 'validateMailA');
  validationRoute(server, `${path}/lifecycle`, 'validateMailALifecycle');
  notificationRoute(server, { app, intake, isOpen, isSecret, refuse });
  lifecycleRoute(server, { app, intake, isOpen, isSecret, refuse });
}

function notificationRoute(server: Server, { app, intake, isOpen, isSecret, refuse }: GraphParts): void {
  const { webhookTally, db, log } = app;
  const unverified = openUnverified({ db, log });
  everyone.post(server, path, {
    id: 'receiveMailA',
    summary: 'Receive notifications of provider A',
    description:
      'An item of `value` is dropped unless its `clientState` is the secret of the settings. ' +
      'A `clientState` beside `value` counts for items that have none. Lifecycle events are accepted as well. ' +
      'Without a secret in the settings every item is accepted; items without the `clientState` ' +
      'of our own subscriptions cause at most one read of a mailbox a minute.',
    ...common,
    onRequest: echoToken,
    handler: async (request, reply) => {
      const { items, clientState } = readGraphBody(request.body);
      const judged = items.map((item) => ({ item, isVerified: isSecret(item.clientState) }));
      if (isOpen) {
        await intake.take(
          key,
          judged.map(({ item: { poke }, isVerified }) => (isVerified || poke === undefined ? poke : unproven(poke))),
        );
        return reply.code(202).send();
      }
      const verified = judged.flatMap(({ item, isVerified }) => (isVerified ? [item] : []));
      const refused = items.length - verified.length;
      const others = judged.flatMap(({ item, isVerified }) => (isVerified ? [] : (item.poke?.routeKey ?? [])));
      await unverified.note(others);
      if (verified.length === 0 && !(items.length === 0 && isSecret(clientState))) refuse(Math.max(refused, 1));
      await intake.take(
        key,
        verified.map(({ poke }) => poke),
      );
      if (refused > 0) {
        webhookTally.add(key, 'unverified', refused);
        request.log.info({ refused }, 'notifications of Microsoft 365 with another clientState were dropped');
      }
      return reply.code(202).send();
    },
  });
}

function lifecycleRoute(server: Server, { intake, isOpen, isSecret, refuse }: GraphParts): void {
  everyone.post(server, `${path}/lifecycle`, {
    id: 'receiveMailALifecycle',
    summary: 'Receive lifecycle events of provider A',
    description:
      'The header `x-webhook-secret` must be the secret of the settings. ' +
      'The provider itself sends no such header: its own events come to `/v1/webhooks/mail-a`.',
    ...common,
    onRequest: [
      echoToken,
      async ({ headers }) => {
        if (!isOpen && !isSecret(headers['x-webhook-secret'])) refuse(1);
      },
    ],
    handler: async ({ body }, reply) => {
      const pokes = readGraphBody(body).items.map(({ poke }) => poke);
      await intake.take(key, isOpen ? pokes.map((poke) => poke && unproven(poke)) : pokes);
      return reply.code(202).send();
    },
  });
}

/** The contract requires GET. Graph itself uses POST. */
function validationRoute(server: Server, path: string, id: string): void {
  everyone.get(server, path, {
    id,
    summary: 'Answer the validation of a subscription',
    errors: ['request.invalid'],
    probe: true,
    onRequest: echoToken,
    query: validationQuery,
    answers: { 200: tokenAnswer },
    // `echoToken` has already answered requests with a token.
    handler: () => Promise.reject(tokenMissing()),
  });
}
