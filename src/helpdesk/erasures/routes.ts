import { holdSelf, proveSelf } from '../../access/accounts/prove-password.ts';
import type { App } from '../../app.ts';
import { principalOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { contactParams } from '../contacts/schema.ts';
import { previewErasure } from './queries.ts';
import { requestErasure } from './request-erasure.ts';
import { eraseBody, erasurePreviewSchema, erasureSchema } from './schema.ts';

const workspace = inWorkspace('contacts');

export function erasureRoutes(server: Server, app: App): void {
  const { db, config } = app;
  workspace.get(server, '/contacts/:contactId/erasure', {
    id: 'previewErasure',
    summary: 'Count what erasing a person would delete, and how far an erasure has come',
    can: 'contact.erase',
    errors: ['contact.not_found'],
    params: contactParams,
    answers: { 200: erasurePreviewSchema },
    handler: ({ actor, params }) => previewErasure(db, actor.workspaceId, params.contactId),
  });

  workspace.post(server, '/contacts/:contactId/erasure', {
    id: 'eraseContact',
    summary: 'Erase a person for good',
    description:
      'Deletes the tickets in which nobody else takes part. In other tickets the messages of the person become ' +
      'stubs, and addresses, names, quotes and original mails go. The contact becomes a stub at once, the rest ' +
      'follows within minutes, and the bytes of files within two days. Nothing brings it back.',
    can: 'contact.erase',
    errors: ['contact.not_found', 'contact.erased', 'contact.own_address', 'auth.invalid_credentials'],
    params: contactParams,
    body: eraseBody,
    answers: { 202: erasureSchema },
    handler: async (request, reply) => {
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
  });
}
