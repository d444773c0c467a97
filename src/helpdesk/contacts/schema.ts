import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, trimmedText } from '../../ground/http/schema.ts';

export const contactParams = Type.Object({ workspaceId: ids.workspace, contactId: ids.contact });
export const mergeContactParams = Type.Object({ workspaceId: ids.workspace, sourceContactId: ids.contact });

export const contactSchema = Type.Object({
  id: ids.contact,
  email: Type.String(),
  name: nullable(Type.String()),
  emails: Type.Array(Type.String(), { description: 'All addresses of the contact, `email` first.' }),
  showsRemoteImages: Type.Boolean({ description: 'Whether images in their mails load without asking.' }),
  createdAt: timestamp,
  erasedAt: nullable(
    Type.String({ format: 'date-time', description: 'When the person was erased: only a stub is left.' }),
  ),
});
export type ListedContact = Type.Static<typeof contactSchema>;

export const listContactsQuery = Type.Object({
  search: Type.Optional(Type.String({ description: 'Words, or beginnings of words, of name or address.' })),
  sort: Type.Optional(
    oneOf(['email', 'name'], { description: 'By address as without it, or by name, else address, without accents.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
export type ContactsQuery = Type.Static<typeof listContactsQuery>;
export type ContactSort = NonNullable<ContactsQuery['sort']>;

export const updateContactBody = Type.Object({
  name: Type.Optional(nullable(trimmedText(1, 200))),
});
export const remoteImagesBody = Type.Object({
  mode: oneOf(['ask', 'always'], { description: 'Whether to ask readers before loading images.' }),
});
export const mergeContactBody = Type.Object({ targetContactId: ids.contact });
