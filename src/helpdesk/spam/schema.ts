import { Type } from 'typebox';
import { ids, oneOf, timestamp, trimmedText, uuid } from '../../ground/http/schema.ts';

const evenShared = Type.Optional(
  Type.Boolean({ description: 'Block even a domain at which anybody can have an address, such as gmail.com.' }),
);

export const markSpamBody = Type.Object({
  blockSender: Type.Optional(
    oneOf(['address', 'domain'], {
      description: 'Also block the address of the requester’s newest mail, or its domain.',
    }),
  ),
  evenShared,
});

export const unmarkSpamBody = Type.Object({
  unblockSender: Type.Optional(
    Type.Boolean({ description: 'Also take every entry off the block list that blocks the requester.' }),
  ),
});

export const blockSenderBody = Type.Object({
  sender: Type.String({
    minLength: 1,
    maxLength: 254,
    pattern: '^(?:".+"@)?\\S+$',
    'x-trim': 'stored',
    description: 'An address, with all its plus addresses, or a domain, with all domains below it.',
  }),
  evenShared,
});

export const blockedSenderParams = Type.Object({ workspaceId: ids.workspace, blockedSenderId: uuid });

export const listBlockedSendersQuery = Type.Object({
  search: Type.Optional(trimmedText(0, 254)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
});

export const blockedSenderSchema = Type.Object({
  id: uuid,
  kind: oneOf(['address', 'domain']),
  sender: Type.String(),
  createdBy: ids.user,
  createdAt: timestamp,
});
export type BlockedSender = Type.Static<typeof blockedSenderSchema>;

export const blockedSendersPage = Type.Object({
  items: Type.Array(blockedSenderSchema),
  nextCursor: Type.Optional(Type.String()),
});
