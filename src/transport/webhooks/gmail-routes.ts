import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { providerKeys } from '../../mail/providers/registry.ts';
import { readGmailPush } from './gmail-push.ts';
import type { Intake } from './intake.ts';
import { bodyBytesMax, gmailBody, queuedAnswer, webhookErrors } from './schema.ts';

const key = providerKeys.gmail;
const everyone = forEveryone('webhooks');

/** Gmail notifies through Pub/Sub, with one message per request. */
export function gmailRoutes(server: Server, { pushTokens, webhookTally }: App, intake: Intake): void {
  const verify = async (authorization: string | undefined): Promise<void> => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new AppError('webhook.unverified');
    await pushTokens.verify(token);
  };

  everyone.post(server, `/v1/webhooks/${key}`, {
    id: 'receiveMailB',
    summary: 'Receive a push of provider B',
    description:
      'The body is a Pub/Sub envelope, whose `message.data` is JSON in base64. ' +
      '`Authorization` must hold a token that the provider signed for this address. ' +
      'An unreadable push is accepted and dropped: if refused, the provider would repeat it.',
    errors: webhookErrors,
    probe: true,
    bodyLimit: bodyBytesMax,
    body: gmailBody,
    answers: { 202: queuedAnswer },
    onRequest: async ({ headers }) => {
      await verify(headers.authorization).catch((error) => {
        if (error instanceof AppError && error.key === 'webhook.unverified') webhookTally.add(key, 'unverified');
        throw error;
      });
    },
    handler: async (request, reply) => {
      const poke = readGmailPush(request.body);
      if (poke !== undefined) await intake.take(key, [poke]);
      else {
        webhookTally.add(key, 'malformed');
        request.log.warn('a push of Gmail is unreadable');
      }
      return reply.send();
    },
  });
}
