import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { findContactIds, getContact } from '../contacts/queries.ts';
import {
  contactParams,
  contactSchema,
  mergeContactBody,
  mergeContactParams,
  updateContactBody,
} from '../contacts/schema.ts';
import { findTicketsOf } from './contact-tickets.ts';
import { mergeContact } from './merge-contacts.ts';
import { nameContact } from './rename-contact.ts';
import { contactWithTicketsSchema } from './schema.ts';

const contacts = '/v1/workspaces/:workspaceId/contacts';
const tags = ['contacts'];

export function contactTicketRoutes(server: Server, { db }: App): void {
  server.get(
    `${contacts}/:contactId`,
    {
      config: { can: 'ticket.read', errors: ['contact.not_found'] },
      schema: {
        operationId: 'readContact',
        summary: 'Read a contact with its tickets',
        description: 'The id of a merged contact stands for its target, here and below.',
        tags,
        params: contactParams,
        response: { 200: contactWithTicketsSchema },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { workspaceId } = actor;
      const contact = await getContact(db, workspaceId, request.params.contactId);
      const ids = await findContactIds(db, workspaceId, contact.id);
      return { ...contact, tickets: await findTicketsOf(db, actor, ids) };
    },
  );

  server.patch(
    `${contacts}/:contactId`,
    {
      config: { can: 'ticket.write', errors: ['contact.not_found', 'contact.erased'] },
      schema: {
        operationId: 'updateContact',
        summary: 'Rename a contact',
        description: 'Null deletes the name.',
        tags,
        params: contactParams,
        body: updateContactBody,
        response: { 200: contactSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await nameContact(tx, actor, { ...request.body, contactId: request.params.contactId }),
      })),
  );

  server.post(
    `${contacts}/:sourceContactId/merge`,
    {
      config: { can: 'ticket.write', errors: ['contact.not_found', 'contact.erased', 'contact.merge_into_itself'] },
      schema: {
        operationId: 'mergeContacts',
        summary: 'Merge a contact into another',
        description: 'The target takes over the addresses and the tickets. A merge of contacts cannot be undone.',
        tags,
        params: mergeContactParams,
        body: mergeContactBody,
        response: { 200: contactSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await mergeContact(tx, actor, {
          sourceId: request.params.sourceContactId,
          targetId: request.body.targetContactId,
        }),
      })),
  );
}
