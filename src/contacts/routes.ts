import { Type } from 'typebox';
import type { App } from '../app.ts';
import { actorOf, nextPageLink, type Server } from '../platform/http.ts';
import { workspaceParams } from '../platform/schema.ts';
import { listContacts } from './queries.ts';
import { contactSchema, listContactsQuery } from './schema.ts';

/** The list alone: what concerns a contact's tickets is in src/tickets, which stands below. */
export function contactRoutes(server: Server, { db }: App): void {
  server.get(
    '/v1/workspaces/:workspaceId/contacts',
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'listContacts',
        summary: 'List and search contacts',
        description:
          'By address; the next page is in the `Link` header. A search finds 1,000 at most: of more, some are listed.',
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
