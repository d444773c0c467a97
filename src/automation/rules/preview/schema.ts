import { Type } from 'typebox';
import { ticketEventTypes } from '../../../ground/catalog/events.ts';
import { ids, nullable, oneOf, timestamp, trimmedText, uuid } from '../../../ground/http/schema.ts';
import { createRuleBody } from '../schema.ts';

const { name: _name, ...fields } = createRuleBody.properties;

export const previewMax = 1_000;

export const previewRuleBody = Type.Object(
  {
    rule: Type.Object({ ...fields, name: Type.Optional(trimmedText(1, 100)) }, { additionalProperties: false }),
    last: Type.Optional(
      Type.Integer({ minimum: 1, maximum: previewMax, default: 200, description: 'How many events of the trigger.' }),
    ),
  },
  { additionalProperties: false },
);
export type PreviewRule = Type.Static<typeof previewRuleBody>;

const because = Type.Object({
  path: Type.String({
    description:
      'Where in the rule it says no, such as `conditions.all.1.ticket.priority`. `ticket`: rules pass over the ' +
      'ticket, because it is a sample, merged or in the trash. `ticket.spam`: it is spam, and the rule does not ask ' +
      'for spam.',
  }),
  seen: nullable(
    Type.Union([Type.String(), Type.Boolean(), Type.Integer(), Type.Array(Type.String())], {
      description: 'What the condition saw. Null: nothing, or it cannot be told.',
    }),
  ),
});

const wouldDo = Type.Object({
  did: Type.Array(Type.String(), { description: 'As in a run.' }),
  changes: Type.Array(
    Type.Object({ type: oneOf(ticketEventTypes), data: Type.Object({}, { additionalProperties: true }) }),
    { description: 'The events of the change.' },
  ),
  mail: nullable(
    Type.Object({
      to: nullable(Type.String()),
      withheld: nullable(Type.String({ description: 'Why no mail would leave. Limits of a day do not count here.' })),
    }),
  ),
  error: nullable(Type.String({ description: 'The key of the error for which the run would fail.' })),
});

const previewItem = Type.Object({
  ticketId: ids.ticket,
  ticketNumber: Type.Integer(),
  subject: Type.String(),
  eventId: nullable(uuid),
  at: { ...timestamp, description: 'When it happened, or when a rule about time would run.' },
  matched: nullable(Type.Boolean({ description: 'Null: it cannot be told.' })),
  because: nullable(because),
  wouldDo: nullable(wouldDo),
});
export type PreviewItem = Type.Static<typeof previewItem>;

export const previewSchema = Type.Object({
  items: Type.Array(previewItem, { description: 'The newest first.' }),
  counts: Type.Object({ matched: Type.Integer(), notMatched: Type.Integer(), unknown: Type.Integer() }),
});
export type Preview = Type.Static<typeof previewSchema>;
