import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
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

const workspace = inWorkspace('contacts');

export function contactTicketRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/contacts/:contactId', {
    id: 'readContact',
    summary: 'Read a contact with its tickets',
    description: 'The id of a merged contact stands for its target, here and below.',
    can: 'ticket.read',
    errors: ['contact.not_found'],
    params: contactParams,
    answers: { 200: contactWithTicketsSchema },
    handler: async ({ actor, params }) => {
      const { workspaceId } = actor;
      const contact = await getContact(db, actor, params.contactId);
      const ids = await findContactIds(db, workspaceId, contact.id);
      return { ...contact, tickets: await findTicketsOf(db, actor, ids) };
    },
  });

  workspace.patch(server, '/contacts/:contactId', {
    id: 'updateContact',
    summary: 'Rename a contact',
    description: 'Null deletes the name.',
    can: 'ticket.write',
    errors: ['contact.not_found', 'contact.erased'],
    params: contactParams,
    body: updateContactBody,
    answers: { 200: contactSchema },
    inTx: (tx, { actor, params, body }) => nameContact(tx, actor, { ...body, contactId: params.contactId }),
  });

  workspace.post(server, '/contacts/:sourceContactId/merge', {
    id: 'mergeContacts',
    summary: 'Merge a contact into another',
    description: 'The target takes over the addresses and the tickets. A merge of contacts cannot be undone.',
    can: 'ticket.write',
    errors: ['contact.not_found', 'contact.erased', 'contact.merge_into_itself'],
    params: mergeContactParams,
    body: mergeContactBody,
    answers: { 200: contactSchema },
    inTx: (tx, { actor, params, body }) =>
      mergeContact(tx, actor, {
        sourceId: params.sourceContactId,
        targetId: body.targetContactId,
      }),
  });
}
