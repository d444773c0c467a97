import { Type } from 'typebox';
import { statuses } from '../../ground/catalog/ticket-status.ts';
import {
  emailAddress,
  ids,
  nullable,
  oneOf,
  optionalText,
  snippet,
  textAsSent,
  timestamp,
  trimmedText,
  uuid,
} from '../../ground/http/schema.ts';
import { attachmentSchema, type StoredAttachment } from '../files/schema.ts';
import { missingReasons, variableNames } from './variables.ts';

export const savedReplyParams = Type.Object({ workspaceId: ids.workspace, savedReplyId: uuid });

const tagList = Type.Array(trimmedText(1, 64), { maxItems: 50 });
export const replyActions = Type.Object(
  {
    status: Type.Optional(oneOf(statuses)),
    reason: optionalText(1_000),
    priority: optionalText(32),
    assignee: Type.Optional(
      Type.String({
        pattern: '^(?:me|none|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
        description: 'A user id, `me` (who uses the reply) or `none`.',
      }),
    ),
    addTags: Type.Optional(tagList),
    removeTags: Type.Optional(tagList),
    mailboxId: Type.Optional(
      Type.Union([uuid, Type.Null()], { description: 'The mailbox that sends the answers from now on.' }),
    ),
    teamId: Type.Optional(nullable(ids.team)),
    snoozeHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 8_784 })),
    archive: Type.Optional(Type.Boolean({ description: 'False unarchives the ticket.' })),
    follow: Type.Optional(Type.Boolean({ description: 'True: who uses the reply follows the ticket.' })),
  },
  { description: 'What using the reply changes in the ticket.' },
);
export type ReplyActions = Type.Static<typeof replyActions>;

const head = {
  id: uuid,
  name: Type.String(),
  shortcut: nullable(Type.String({ description: 'A short word that finds the reply first.' })),
  subject: nullable(Type.String({ description: 'The subject of a new ticket that begins with the reply.' })),
  actions: replyActions,
  isShared: Type.Boolean({ description: 'Whether all members see the reply.' }),
  createdBy: ids.user,
  useCount: Type.Integer({ description: 'How often members used the reply in the last 30 days.' }),
  createdAt: timestamp,
  updatedAt: timestamp,
  version: Type.Integer(),
};

export const savedReplySchema = Type.Object({
  ...head,
  body: Type.String(),
  bodyHtml: nullable(Type.String()),
  attachments: Type.Array(attachmentSchema),
});
export type SavedReply = Type.Static<typeof savedReplySchema>;
export type StoredSavedReply = Omit<SavedReply, 'attachments'> & { attachments: StoredAttachment[] };

const listed = Type.Object({
  ...head,
  snippet,
  attachmentCount: Type.Integer(),
});
export type ListedSavedReply = Type.Static<typeof listed>;
export const savedRepliesPage = Type.Object({ items: Type.Array(listed), nextCursor: Type.Optional(Type.String()) });

export const listSavedRepliesQuery = Type.Object({
  search: Type.Optional(
    Type.String({ description: 'Beginnings of words in name, shortcut or text. All of them must match.' }),
  ),
  sort: Type.Optional(oneOf(['name', 'used'], { description: '`used`: the ones that you use most often first.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
export type ListSavedReplies = Type.Static<typeof listSavedRepliesQuery>;

/** Bounds a rendered text together with the number of its variables. */
const textCharsMax = 100_000;
const fields = {
  name: trimmedText(1, 100),
  shortcut: Type.Optional(nullable(trimmedText(1, 30))),
  subject: Type.Optional(nullable(trimmedText(1, 500))),
  bodyHtml: Type.Optional(
    nullable(
      Type.String({
        maxLength: textCharsMax,
        'x-trim': 'measured',
        description: 'With it, the text is derived from the HTML.',
      }),
    ),
  ),
  actions: Type.Optional(replyActions),
  attachmentIds: Type.Optional(
    Type.Array(ids.attachment, { maxItems: 10, description: 'Your uploads, and files that the reply has already.' }),
  ),
  isShared: Type.Optional(Type.Boolean()),
};
const body = textAsSent(0, textCharsMax);

export const createSavedReplyBody = Type.Object({ ...fields, body });
export const updateSavedReplyBody = Type.Partial(createSavedReplyBody);
export type SavedReplyInput = Type.Static<typeof createSavedReplyBody>;

export const renderSavedReplyBody = Type.Object({
  ticketId: Type.Optional(ids.ticket),
  requester: Type.Optional(
    Type.Object(
      { email: emailAddress, name: Type.Optional(nullable(trimmedText(0, 200))) },
      { description: 'Without a ticket: to whom a new ticket will be written.' },
    ),
  ),
  subject: optionalText(500),
  mailboxId: Type.Optional(nullable(uuid)),
  copyFiles: Type.Optional(
    Type.Boolean({ description: 'Copy the files into your uploads, for `attachmentIds` of a message or draft.' }),
  ),
});

export const missingVariables = Type.Array(
  Type.Object({ variable: oneOf(variableNames), reason: oneOf(missingReasons) }),
  { description: 'Variables without a value and a default. They stay in the text.' },
);

export const renderedReplySchema = Type.Object({
  subject: nullable(Type.String()),
  body: Type.String(),
  bodyHtml: nullable(Type.String({ description: 'Null for plain text.' })),
  actions: replyActions,
  attachments: Type.Array(attachmentSchema, { description: 'With `copyFiles`: the copies.' }),
  missing: missingVariables,
});

/** For messages and tickets that come from a saved reply. */
export const savedReplyId = Type.Optional(
  Type.String({
    format: 'uuid',
    description:
      'The saved reply that the text comes from. Without a text of your own, the reply’s text and files are used. ' +
      'Variables that are left in the text get their values.',
  }),
);
export const runActions = Type.Optional(
  Type.Boolean({ description: 'With `savedReplyId`: run its actions in the same commit.' }),
);
