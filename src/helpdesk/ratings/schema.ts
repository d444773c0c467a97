import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, uuid } from '../../ground/http/schema.ts';

export const surveyScales = ['two', 'three', 'five'] as const;
export type SurveyScale = (typeof surveyScales)[number];

/** The best score of each scale. The worst is 1. */
export const bestOf: Record<SurveyScale, number> = { two: 2, three: 3, five: 5 };

/** Why an answer does not count. */
export const doubts = ['scanner', 'fast', 'contradiction'] as const;
export type Doubt = (typeof doubts)[number];

export const commentMax = 2_000;

const score = Type.Integer({ minimum: 1, maximum: 5 });

export const surveyAnswerSchema = Type.Object({
  id: uuid,
  ticketId: ids.ticket,
  ticketNumber: Type.Integer(),
  messageId: ids.message,
  surveyId: uuid,
  contactId: ids.contact,
  userId: nullable({
    ...ids.user,
    description:
      'The member whose answer was asked about. Null: nobody in particular, or a member whose figures you do not see.',
  }),
  teamId: nullable({ ...ids.team, description: 'The team of the ticket at the time of asking.' }),
  mailboxId: nullable({ ...uuid, description: 'The mailbox of the ticket at the time of asking.' }),
  scale: oneOf(surveyScales),
  score: { ...score, description: 'From 1, the worst, to 2, 3 or 5, as the scale has it.' },
  isGood: Type.Boolean({ description: 'Whether the customer is satisfied: the best of two or three, 4 or 5 of five.' }),
  comment: nullable(Type.String()),
  doubt: nullable(
    oneOf(doubts, { description: 'Why the answer does not count: a program may have given it. Null: it counts.' }),
  ),
  askedAt: timestamp,
  answeredAt: timestamp,
  changedAt: { ...timestamp, description: 'When the customer last changed it.' },
});
export type SurveyAnswer = Type.Static<typeof surveyAnswerSchema>;

export const surveyAnswersQuery = Type.Object({
  ticketId: Type.Optional(ids.ticket),
  member: Type.Optional({ ...ids.user, description: 'Whose answer was asked about.' }),
  team: Type.Optional(ids.team),
  mailbox: Type.Optional(uuid),
  score: Type.Optional(score),
  good: Type.Optional(Type.Boolean({ description: 'Whether the customer is satisfied.' })),
  doubt: Type.Optional(
    Type.Boolean({ description: 'True: only those that do not count. False: only those that count, which is usual.' }),
  ),
  from: Type.Optional({ ...timestamp, description: 'Answered then or later.' }),
  to: Type.Optional({ ...timestamp, description: 'Answered before.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type SurveyAnswersQuery = Type.Static<typeof surveyAnswersQuery>;

export const surveyAnswersPage = Type.Object({
  items: Type.Array(surveyAnswerSchema),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
});
