import { Type } from 'typebox';
import { tagColours } from '../../ground/catalog/tag-colours.ts';
import { nullable, oneOf, timestamp, trimmedText } from '../../ground/http/schema.ts';
import { bulkChangeSchema } from '../bulk/schema.ts';

const tag = trimmedText(1, 64);
const colour = nullable(oneOf(tagColours));

export const tagSchema = Type.Object({
  tag: Type.String({ description: 'As most tickets spell it.' }),
  openTickets: Type.Integer(),
  tickets: Type.Integer(),
  lastUsedAt: nullable({ ...timestamp, description: 'When a ticket with the tag last had a message.' }),
  colour,
});
export type Tag = Type.Static<typeof tagSchema>;

export const tagUseQuery = Type.Object({ tag });
export const tagUseSchema = Type.Object({
  tickets: Type.Integer({ description: 'Without those in the trash, in spam, or merged into another ticket.' }),
  openTickets: Type.Integer(),
  mailboxes: Type.Integer({ description: 'Mailboxes that give the tag to new tickets.' }),
  savedReplies: Type.Integer({ description: 'Saved replies that add or remove the tag.' }),
  rules: Type.Integer({ description: 'Rules whose conditions or actions name the tag.' }),
  views: Type.Integer({ description: 'Saved views that filter by the tag.' }),
});
export type TagUse = Type.Static<typeof tagUseSchema>;

export const renameTagBody = Type.Object({
  tag,
  to: tag,
  merge: Type.Optional(
    Type.Boolean({ default: false, description: 'Agrees that tickets already have the tag `to`: the two become one.' }),
  ),
});
export type RenameTag = Type.Static<typeof renameTagBody>;

export const deleteTagBody = Type.Object({ tag });

export const colourTagBody = Type.Object({ tag, colour });
export type ColourTag = Type.Static<typeof colourTagBody>;

export const tagChangeSchema = Type.Object({
  bulkChange: Type.Union([bulkChangeSchema, Type.Null()], {
    description: 'The change of the tickets, made in the background; null if no ticket has the tag.',
  }),
});
export type TagChange = Type.Static<typeof tagChangeSchema>;
