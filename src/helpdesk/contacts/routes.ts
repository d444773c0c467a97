import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { pageOf, type Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { listContacts } from './queries.ts';
import { rememberRemoteImages } from './remember-remote-images.ts';
import { contactParams, contactSchema, listContactsQuery, remoteImagesBody } from './schema.ts';

const workspace = inWorkspace('contacts');

/** What concerns a contact's tickets is in src/helpdesk/tickets, which stands below. */
export function contactRoutes(server: Server, app: App): void {
  listRoute(server, app);
  remoteImagesRoute(server);
}

function listRoute(server: Server, { db }: App): void {
  workspace.get(server, '/contacts', {
    id: 'listContacts',
    summary: 'List and search contacts',
    description: 'The next page is in the `Link` header. A search lists at most 1,000 of its matches.',
    can: 'ticket.read',
    query: listContactsQuery,
    answers: { 200: Type.Array(contactSchema) },
    handler: async ({ actor, query, url }, reply) => pageOf(await listContacts(db, actor, query), url, reply),
  });
}

function remoteImagesRoute(server: Server): void {
  workspace.put(server, '/contacts/:contactId/remote-images', {
    id: 'putRemoteImages',
    summary: 'Set whether images in a contact’s mails load without asking',
    can: 'ticket.write',
    errors: ['contact.not_found'],
    params: contactParams,
    body: remoteImagesBody,
    answers: { 200: contactSchema },
    inTx: (tx, { actor, params, body }) =>
      rememberRemoteImages(tx, actor, {
        contactId: params.contactId,
        isAlways: body.mode === 'always',
      }),
  });
}
