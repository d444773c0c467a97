import { Type } from 'typebox';
import { ticketEventTypes } from '../../ground/catalog/events.ts';
import { ids, nullable, oneOf, optionalText, snippet, timestamp, trimmedText, uuid } from '../../ground/http/schema.ts';
import { replyActions } from '../../helpdesk/replies/schema.ts';
import { filters, stateFilters } from '../../inbox/lists/filters.ts';

export const ruleParams = Type.Object({ workspaceId: ids.workspace, ruleId: uuid });

const closed = { additionalProperties: false };
const uuidPattern = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Who may have written a message: a rule about messages begins with those of people unless it says otherwise. */
export const authors = ['customer', 'agent', 'machine'] as const;
export const directions = ['inbound', 'outbound', 'internal'] as const;
export const anchors = ['waitingSince', 'lastAnswer', 'created', 'statusChanged'] as const;
export type Anchor = (typeof anchors)[number];

export const ruleTrigger = Type.Object(
  {
    event: Type.Optional(
      oneOf(ticketEventTypes, { description: 'For rules, `message.added` is also the first message of a new ticket.' }),
    ),
    direction: Type.Optional(oneOf(directions, { description: 'Of the message, or of the first of a new ticket.' })),
    by: Type.Optional(
      Type.Array(oneOf(authors), {
        minItems: 1,
        maxItems: 3,
        description:
          'Who did it. `machine` is automatic mail and what no person does. Without it, a message must be by a ' +
          'person: `customer` or `agent`.',
      }),
    ),
    after: Type.Optional(
      Type.String({ pattern: '^[1-9][0-9]{0,4}[mhd]$', description: 'Minutes, hours or days: `30m`, `4h`, `2d`.' }),
    ),
    since: Type.Optional(oneOf(anchors)),
    calendarId: Type.Optional(nullable({ ...uuid, description: 'Counts only its open hours.' })),
  },
  { ...closed, description: 'Either `event`, or `after` and `since`.' },
);
export type RuleTrigger = Type.Static<typeof ruleTrigger>;

const { ids: _ids, unread: _unread, following: _following, mentioned: _mentioned, ...further } = filters;
const { happened: _happened, ...forAll } = further;
const { trash: _trash, ...states } = stateFilters;
type Schemas = { [Name in keyof typeof forAll]: (typeof forAll)[Name]['schema'] };
/** An empty list would say nothing. */
const filled = (schema: Type.TSchema) =>
  'type' in schema && schema.type === 'array' ? Type.Optional(Type.Unsafe({ ...schema, minItems: 1 })) : schema;
const orNone = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: `^(?:none|${uuidPattern})$` }), { minItems: 1, maxItems: 100, description }),
  );

/** The filters of a list that need no person. A field that a list does not have is refused. */
export const ticketCondition = Type.Object(
  {
    // Their names and schemas, which `fromEntries` does not follow.
    ...(Object.fromEntries(Object.entries(forAll).map(([name, { schema }]) => [name, filled(schema)])) as Schemas),
    assignee: orNone('Any of these: a user id or `none`.'),
    team: orNone('Any of these: a team id or `none`.'),
    priority: optionalText(32),
    ...states,
  },
  {
    ...closed,
    minProperties: 1,
    description:
      'Filters as in the list of tickets. Archived and snoozed tickets count unless the filter says otherwise, spam ' +
      'only where it asks for it, the trash and merged tickets never.',
  },
);
export type TicketCondition = Type.Static<typeof ticketCondition>;

const words = Type.Optional(Type.Array(trimmedText(1, 200), { minItems: 1, maxItems: 50 }));
const textFields = {
  is: words,
  has: words,
  matches: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'A regular expression in the syntax of RE2.' }),
  ),
};
export const textTest = Type.Object(textFields, {
  ...closed,
  description:
    'One of `is` and `has`, which is any of the texts, without regard to case and accents, and `matches`, a part of ' +
    'the text as it stands.',
});
export type TextTest = Type.Static<typeof textTest>;

const verdicts = ['pass', 'none', 'fail'] as const;
export const messageCondition = Type.Object(
  {
    from: Type.Optional(textTest),
    fromDomain: Type.Optional(
      Type.Array(trimmedText(1, 253), { minItems: 1, maxItems: 50, description: 'Domains; those below them count.' }),
    ),
    to: Type.Optional({ ...textTest, description: 'Any address in To or Cc, or at which the mail arrived.' }),
    subject: Type.Optional(textTest),
    body: Type.Optional(textTest),
    header: Type.Optional(
      Type.Object(
        { name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[!-9;-~]+$' }), ...textFields },
        { ...closed, description: 'Of a header of the mail; with its name alone: whether it is there.' },
      ),
    ),
    attachmentName: Type.Optional(textTest),
    verdict: Type.Optional(
      Type.Array(oneOf(verdicts), { minItems: 1, maxItems: 3, description: 'Whether the sender is proven.' }),
    ),
    isFirst: Type.Optional(Type.Boolean({ description: 'Whether it is the first message of the ticket.' })),
  },
  { ...closed, minProperties: 1, maxProperties: 1, description: 'One test of the message that the event tells of.' },
);
export type MessageCondition = Type.Static<typeof messageCondition>;

const hoursCondition = Type.Object({ calendarId: uuid, isOpen: Type.Boolean() }, closed);

const conditionFields = {
  ticket: Type.Optional(ticketCondition),
  message: Type.Optional(messageCondition),
  hours: Type.Optional(hoursCondition),
  not: Type.Optional(Type.Boolean({ description: 'True: the opposite.' })),
};
const conditionSchema = Type.Object(conditionFields, {
  ...closed,
  description: 'One of `ticket`, `message` and `hours`.',
});
export type Condition = Type.Static<typeof conditionSchema>;

export const conditionsMax = 50;
const conditionList = Type.Array(conditionSchema, { minItems: 1, maxItems: conditionsMax });
const termSchema = Type.Object(
  { ...conditionFields, all: Type.Optional(conditionList), any: Type.Optional(conditionList) },
  { ...closed, description: 'A condition, or a group of conditions: `all` or `any`.' },
);
export type Term = Type.Static<typeof termSchema>;
const termList = Type.Optional(Type.Array(termSchema, { minItems: 1, maxItems: conditionsMax }));

export const ruleConditions = Type.Object(
  { all: termList, any: termList },
  { ...closed, description: '`all` or `any`, two levels at most, 50 conditions at most. Without them: always.' },
);
export type RuleConditions = Type.Static<typeof ruleConditions>;

const { follow: _follow, ...changes } = replyActions.properties;
export const ruleActions = Type.Object(
  {
    ...changes,
    assignee: Type.Optional(Type.String({ pattern: `^(?:none|${uuidPattern})$`, description: 'A user id or `none`.' })),
    spam: Type.Optional(Type.Boolean({ description: 'True moves the ticket to spam, false out of it.' })),
    reply: Type.Optional(
      Type.Object(
        { savedReplyId: uuid, to: oneOf(['requester']) },
        { ...closed, description: 'Mails a shared saved reply to the requester, if a machine may answer them.' },
      ),
    ),
    note: optionalText(10_000),
    notify: Type.Optional(
      Type.Object(
        {
          assignee: Type.Optional(Type.Boolean()),
          teamId: Type.Optional(ids.team),
          userIds: Type.Optional(Type.Array(ids.user, { maxItems: 50 })),
        },
        closed,
      ),
    ),
    webhookId: Type.Optional({ ...uuid, description: 'Sends `rule.matched` to this webhook.' }),
  },
  { ...closed, minProperties: 1, maxProperties: 20, description: 'What the rule does, in one commit.' },
);
export type RuleActions = Type.Static<typeof ruleActions>;

export const outcomes = ['done', 'failed', 'skipped_loop', 'skipped_limit'] as const;
export type Outcome = (typeof outcomes)[number];

const content = {
  trigger: ruleTrigger,
  conditions: nullable(ruleConditions),
  actions: ruleActions,
  onRules: Type.Boolean({ description: 'Whether what other rules do also triggers the rule.' }),
  stopAfter: Type.Boolean({ description: 'Whether no later rule works on the same event once this one has.' }),
};

export const ruleSchema = Type.Object({
  id: uuid,
  name: Type.String(),
  position: Type.Integer({ description: 'Rules run in this order.' }),
  isActive: Type.Boolean(),
  pausedReason: nullable(Type.String({ description: 'Why the service paused the rule: `limit`, `import`.' })),
  ...content,
  runCount: Type.Integer(),
  lastRunAt: nullable(timestamp),
  lastOutcome: nullable(oneOf(outcomes)),
  version: Type.Integer(),
  changedBy: nullable(ids.user),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Rule = Type.Static<typeof ruleSchema>;
/** What a version of a rule says. */
export type RuleContent = Pick<Rule, 'name' | keyof typeof content>;

export const ruleNameMax = 100;
const confirm = Type.Optional(
  Type.Boolean({ description: 'True: mail may go out to everybody, because no condition narrows the rule.' }),
);
const fields = {
  name: trimmedText(1, ruleNameMax),
  trigger: ruleTrigger,
  conditions: Type.Optional(nullable(ruleConditions)),
  actions: ruleActions,
  onRules: Type.Optional(Type.Boolean()),
  stopAfter: Type.Optional(Type.Boolean()),
};
export const createRuleBody = Type.Object(
  { ...fields, isActive: Type.Optional(Type.Boolean({ description: 'False by default.' })), confirm },
  closed,
);
export type CreateRule = Type.Static<typeof createRuleBody>;

export const updateRuleBody = Type.Object({ ...Type.Partial(Type.Object(fields)).properties, confirm }, closed);
export type UpdateRule = Type.Static<typeof updateRuleBody>;

export const activateRuleBody = Type.Object({ confirm }, closed);

export const rulesMax = 200;
export const orderRulesBody = Type.Object(
  { ids: Type.Array(uuid, { maxItems: rulesMax, description: 'All rules of the workspace.' }) },
  closed,
);

export const ruleRunSchema = Type.Object({
  id: uuid,
  ruleId: uuid,
  ruleName: Type.String({ description: 'As it was called then.' }),
  ruleVersion: Type.Integer(),
  ticketId: ids.ticket,
  ticketNumber: Type.Integer(),
  subject: snippet,
  outcome: oneOf(outcomes),
  did: Type.Array(Type.String(), { description: 'What the run did, in short.' }),
  error: nullable(Type.Object({ key: Type.String(), params: Type.Object({}, { additionalProperties: true }) })),
  at: timestamp,
});
export type RuleRun = Type.Static<typeof ruleRunSchema>;

export const listRunsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
export const ruleRunsPage = Type.Object({
  items: Type.Array(ruleRunSchema),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
});
