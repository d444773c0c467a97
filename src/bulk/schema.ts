import { Type } from 'typebox';
import { ids, optionalText } from '../http/schema.ts';
import { statusSchema, tagList, updateTicketBody } from '../tickets/schema.ts';

export const bulkBody = Type.Object({
  ids: Type.Array(ids.ticket, { minItems: 1, maxItems: 500 }),
  ...updateTicketBody.properties,
  addTags: Type.Optional(tagList),
  removeTags: Type.Optional(tagList),
  status: Type.Optional(statusSchema),
  reason: optionalText(1_000),
  archive: Type.Optional(Type.Boolean({ description: 'False unarchives tickets.' })),
  savedReplyId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Answer each ticket with this saved reply by mail, and run its actions.',
    }),
  ),
  spam: Type.Optional(Type.Boolean({ description: 'True marks tickets as spam, false brings them back.' })),
  trash: Type.Optional(Type.Boolean({ description: 'True moves tickets to the trash, false restores them.' })),
});

export const bulkAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      id: ids.ticket,
      status: Type.Integer({ description: 'The status that the change of this ticket alone would return.' }),
      error: Type.Optional(
        Type.Object({
          key: Type.String(),
          params: Type.Object({}, { additionalProperties: true }),
          fallbackMessage: Type.String(),
        }),
      ),
    }),
  ),
});
