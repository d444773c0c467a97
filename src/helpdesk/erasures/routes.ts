import { holdSelf, proveSelf } from '../../access/accounts/prove-password.ts';
import type { App } from '../../app.ts';
import { actorOf, principalOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { contactParams } from '../contacts/schema.ts';
import { previewErasure } from './queries.ts';
import { requestErasure } from './request-erasure.ts';
import { eraseBody, erasurePreviewSchema, erasureSchema } from './schema.ts';

const path = '/v1/workspaces/:workspaceId/contacts/:contactId/erasure';
const tags = ['contacts'];

export function erasureRoutes(server: Server, app: App): void {
  const { db, config } = app;
  server.get(
    path,
    {
      config: { can: 'contact.erase', errors: ['contact.not_found'] },
      schema: {
        operationId: 'previewErasure',
        summary: 'Count what erasing a person would delete, and how far an erasure has come',
        tags,
        params: contactParams,
        response: { 200: erasurePreviewSchema },
      },
    },
    (request) => previewErasure(db, actorOf(request).workspaceId, request.params.contactId),
  );

  server.post(
    path,
    {
      config: {
        can: 'contact.erase',
        errors: ['contact.not_found', 'contact.erased', 'contact.own_address', 'auth.invalid_credentials'],
      },
      schema: {
        operationId: 'eraseContact',
        summary: 'Erase a person for good',
        description:
          'Deletes the tickets in which nobody else takes part. In other tickets the messages of the person become ' +
          'stubs, and addresses, names, quotes and original mails go. The contact becomes a stub at once, the rest ' +
          'follows within minutes, and the bytes of files within two days. Nothing brings it back.',
        tags,
        params: contactParams,
        body: eraseBody,
        response: { 202: erasureSchema },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request);
      const { email, password } = request.body;
      const account = await proveSelf(app, principal, { password, ip: request.ip });
      await answerInTx(db, request, reply, async (tx, actor) => {
        await holdSelf(tx, principal, account);
        const { contactId } = request.params;
        const { authSecret } = config;
        const erasure = await requestErasure(tx, actor, { contactId, email, authSecret });
        return { status: 202, body: erasure };
      });
    },
  );
}
