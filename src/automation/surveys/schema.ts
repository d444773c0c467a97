import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, uuid } from '../../ground/http/schema.ts';
import { languages } from '../../ground/lib/language.ts';
import { surveyScales } from '../../helpdesk/ratings/schema.ts';

export const surveysMax = 50;
export const questionMax = 200;
export const surveyAsks = ['in_answer', 'after_close'] as const;
export type SurveyAsk = (typeof surveyAsks)[number];

export const surveyParams = Type.Object({ workspaceId: ids.workspace, surveyId: uuid });

const week = 7 * 24 * 60;
const fields = {
  mailboxId: nullable({
    ...uuid,
    description: 'Null: every mailbox without a survey of its own, and mail that the service receives by SMTP.',
  }),
  ask: oneOf(surveyAsks, {
    description:
      '`in_answer` asks below answers of members, `after_close` by a mail of its own once a ticket is closed.',
  }),
  scale: oneOf(surveyScales, { description: 'How many scores there are to choose from.' }),
  question: nullable(
    Type.String({ minLength: 1, maxLength: questionMax, 'x-trim': 'stored', description: 'Null: the usual question.' }),
  ),
  language: oneOf(languages, { description: 'Of what the customer reads, beside the question.' }),
  delayMinutes: Type.Integer({
    ...{ minimum: 0, maximum: week, default: 60 },
    description: 'Of `after_close`: how long after closing the mail leaves, if the ticket is still closed then.',
  }),
  everyDays: Type.Integer({
    ...{ minimum: 0, maximum: 365, default: 14 },
    description: 'How long a customer is not asked again, by any survey. 0: each time.',
  }),
};

export const surveySchema = Type.Object({
  id: uuid,
  ...fields,
  isActive: Type.Boolean(),
  version: Type.Integer(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Survey = Type.Static<typeof surveySchema>;

export const createSurveyBody = Type.Object({
  mailboxId: Type.Optional(fields.mailboxId),
  ask: fields.ask,
  scale: fields.scale,
  question: Type.Optional(fields.question),
  language: fields.language,
  delayMinutes: Type.Optional(fields.delayMinutes),
  everyDays: Type.Optional(fields.everyDays),
  isActive: Type.Optional(Type.Boolean({ default: false })),
});
export type CreateSurvey = Type.Static<typeof createSurveyBody>;
export const updateSurveyBody = Type.Partial(createSurveyBody);
export type UpdateSurvey = Type.Static<typeof updateSurveyBody>;
