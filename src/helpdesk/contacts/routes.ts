import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, nextPageLink, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { listContacts } from './queries.ts';
import { rememberRemoteImages } from './remember-remote-images.ts';
import { contactParams, contactSchema, listContactsQuery, remoteImagesBody } from './schema.ts';

/** What concerns a contact's tickets is in src/helpdesk/tickets, which stands below. */
export function contactRoutes(server: Server, app: App): void {
  listRoute(server, app);
  remoteImagesRoute(server, app);
}

function listRoute(server: Server, { db }: App): void {
  server.get(
    '/v1/workspaces/:workspaceId/contacts',
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'listContacts',
        summary: 'List and search contacts',
        description:
          'Sorted by address. The next page is in the `Link` header. A search lists at most 1,000 of its matches.',
        tags: ['contacts'],
        params: workspaceParams,
        querystring: listContactsQuery,
        response: { 200: Type.Array(contactSchema) },
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await listContacts(db, actorOf(request).workspaceId, request.query);
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return items;
    },
  );
}

function remoteImagesRoute(server: Server, { db }: App): void {
  server.put(
    '/v1/workspaces/:workspaceId/contacts/:contactId/remote-images',
    {
      config: { can: 'ticket.write', errors: ['contact.not_found'] },
      schema: {
        operationId: 'putRemoteImages',
        summary: 'Set whether images in a contact’s mails load without asking',
        tags: ['contacts'],
        params: contactParams,
        body: remoteImagesBody,
        response: { 200: contactSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, { workspaceId }) => ({
        status: 200,
        body: await rememberRemoteImages(tx, workspaceId, {
          contactId: request.params.contactId,
          isAlways: request.body.mode === 'always',
        }),
      })),
  );
}
