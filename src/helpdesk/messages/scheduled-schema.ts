import { Type } from 'typebox';
import { ids, nullable, snippet, timestamp } from '../../ground/http/schema.ts';

/** How far ahead a message can be scheduled. */
export const scheduleDaysMax = 90;

export const sendAt = Type.Optional(
  Type.String({
    format: 'date-time',
    description:
      `With \`sendEmail\`, instead of \`sendAfterSeconds\`: when the mail leaves, at most ${scheduleDaysMax} days ` +
      'ahead. Until then it has answered nobody.',
  }),
);

export const unlessReplied = Type.Optional(
  Type.Boolean({
    default: true,
    description:
      'With `sendAt`: whether a mail of a customer that comes before cancels this one. Its text is then your draft.',
  }),
);

export const rescheduleBody = Type.Object({
  sendAt: Type.String({
    format: 'date-time',
    description: `When the mail leaves, at most ${scheduleDaysMax} days ahead.`,
  }),
});

export const listScheduledQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});

/** A mailed message in a list of the workspace. */
export const listedMail = {
  id: ids.message,
  ticketId: ids.ticket,
  ticketNumber: Type.Integer(),
  subject: Type.String(),
  authorUserId: nullable(ids.user),
  authorName: nullable(Type.String()),
  to: Type.Array(Type.String()),
  cc: Type.Array(Type.String()),
  bcc: Type.Array(Type.String()),
  snippet,
  createdAt: timestamp,
};

export const scheduledPageSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      ...listedMail,
      sendAt: timestamp,
      unlessReplied: Type.Boolean({ description: 'Whether a mail of a customer cancels it.' }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
});
export type Scheduled = Type.Static<typeof scheduledPageSchema>['items'][number];
