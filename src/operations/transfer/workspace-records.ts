import { Type } from 'typebox';
import { teamMembersMax, teamNameMax } from '../../access/teams/schema.ts';
import { whenAnsweredSchema } from '../../access/workspaces/schema.ts';
import { autoReplyKinds, autoReplyNameMax } from '../../automation/auto-replies/schema.ts';
import { calendarNameMax, specialDays, weekHours } from '../../automation/calendars/schema.ts';
import { ruleActions, ruleConditions, ruleNameMax, ruleTrigger } from '../../automation/rules/schema.ts';
import { questionMax, surveyAsks } from '../../automation/surveys/schema.ts';
import { auditSubjects } from '../../ground/catalog/audit.ts';
import { roles } from '../../ground/catalog/permissions.ts';
import { tagColours } from '../../ground/catalog/tag-colours.ts';
import { statuses } from '../../ground/catalog/ticket-status.ts';
import { languages } from '../../ground/lib/language.ts';
import { commentMax, doubts, surveyScales } from '../../helpdesk/ratings/schema.ts';
import { replyActions } from '../../helpdesk/replies/schema.ts';
import { viewQuery } from '../../inbox/views/schema.ts';
import {
  addresses,
  attachmentRecord,
  count,
  email,
  id,
  json,
  name,
  oneOf,
  orNull,
  providers,
  strict,
  tags,
  text,
  time,
} from './record-fields.ts';

/**
 * The records of an export as an import accepts them. Programs that write exports may leave out optional fields.
 * `docs/export.md` describes them.
 */

const tagColour = Type.Object({ tag: Type.String({ minLength: 1, maxLength: 64 }), colour: oneOf(tagColours) }, strict);

const whenAnswered = Type.Object({ ...whenAnsweredSchema.properties }, strict);

export const workspaceRecord = Type.Object(
  {
    id,
    name: Type.String({ minLength: 1, maxLength: 1_000 }),
    requireSecondFactor: Type.Optional(Type.Boolean()),
    tagColours: Type.Optional(Type.Array(tagColour, { maxItems: 500 })),
    ownAddresses: Type.Optional(addresses),
    whenAnswered: orNull(whenAnswered),
    /** At least the highest number of the tickets. */
    lastTicketNumber: count,
    createdAt: time,
  },
  strict,
);

export const memberRecord = Type.Object(
  {
    id,
    email,
    name: orNull(name),
    /** Null for somebody who was a member once. */
    role: orNull(oneOf(roles)),
    access: orNull(oneOf(['all', 'teams'])),
    signatureHtml: orNull(text),
    createdAt: orNull(time),
    removedAt: orNull(time),
  },
  strict,
);

export const teamRecord = Type.Object(
  {
    id,
    name: Type.String({ minLength: 1, maxLength: teamNameMax }),
    visibility: oneOf(['workspace', 'members']),
    position: count,
    archivedAt: orNull(time),
    createdAt: time,
    members: Type.Optional(
      Type.Array(Type.Object({ userId: id, isLead: Type.Boolean(), createdAt: time }, strict), {
        maxItems: teamMembersMax,
      }),
    ),
  },
  strict,
);

export const calendarRecord = Type.Object(
  {
    id,
    name: Type.String({ minLength: 1, maxLength: calendarNameMax }),
    timeZone: Type.String({ maxLength: 60 }),
    hours: weekHours,
    days: Type.Optional(specialDays),
    version: count,
    createdAt: time,
    updatedAt: time,
  },
  strict,
);

export const mailboxRecord = Type.Object(
  {
    id,
    provider: oneOf(providers),
    address: email,
    name: orNull(name),
    aliases: Type.Optional(addresses),
    sendAs: Type.Optional(addresses),
    delegateAddress: orNull(email),
    signature: orNull(text),
    defaultAssigneeId: orNull(id),
    defaultTags: Type.Optional(tags),
    teamId: orNull(id),
    whenAnswered: orNull(whenAnswered),
    historyDays: Type.Optional(count),
    connectedAt: time,
    createdAt: time,
    updatedAt: time,
  },
  strict,
);

export const contactRecord = Type.Object(
  {
    id,
    email,
    name: orNull(name),
    nameClaim: orNull(text),
    mergedIntoId: orNull(id),
    showsRemoteImages: Type.Optional(Type.Boolean()),
    erasedAt: orNull(time),
    createdAt: time,
  },
  strict,
);

export const blockedSenderRecord = Type.Object(
  { id, sender: Type.String({ minLength: 1, maxLength: 320 }), createdBy: id, createdAt: time },
  strict,
);

export const savedReplyRecord = Type.Object(
  {
    id,
    ownerId: orNull(id),
    createdBy: id,
    name: Type.String({ minLength: 1, maxLength: 1_000 }),
    shortcut: orNull(name),
    subject: orNull(text),
    body: text,
    bodyHtml: orNull(text),
    actions: Type.Optional(replyActions),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    createdAt: time,
    updatedAt: time,
    attachments: Type.Optional(Type.Array(attachmentRecord)),
  },
  strict,
);

export const ruleRecord = Type.Object(
  {
    id,
    name: Type.String({ minLength: 1, maxLength: ruleNameMax }),
    position: count,
    trigger: ruleTrigger,
    conditions: orNull(ruleConditions),
    actions: ruleActions,
    onRules: Type.Optional(Type.Boolean()),
    stopAfter: Type.Optional(Type.Boolean()),
    version: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    changedById: orNull(id),
    createdAt: time,
    updatedAt: time,
  },
  strict,
);

export const autoReplyRecord = Type.Object(
  {
    id,
    name: Type.String({ minLength: 1, maxLength: autoReplyNameMax }),
    mailboxId: orNull(id),
    kind: oneOf(autoReplyKinds),
    calendarId: orNull(id),
    validFrom: orNull(time),
    validUntil: orNull(time),
    savedReplyId: id,
    version: count,
    createdAt: time,
    updatedAt: time,
  },
  strict,
);

export const surveyRecord = Type.Object(
  {
    id,
    mailboxId: orNull(id),
    ask: oneOf(surveyAsks),
    scale: oneOf(surveyScales),
    question: orNull(Type.String({ minLength: 1, maxLength: questionMax })),
    language: oneOf(languages),
    delayMinutes: count,
    everyDays: count,
    version: count,
    createdAt: time,
    updatedAt: time,
  },
  strict,
);

export const surveyAskRecord = Type.Object(
  {
    id,
    messageId: id,
    surveyId: id,
    contactId: id,
    userId: orNull(id),
    teamId: orNull(id),
    mailboxId: orNull(id),
    scale: oneOf(surveyScales),
    question: orNull(Type.String({ minLength: 1, maxLength: questionMax })),
    language: oneOf(languages),
    askedAt: time,
    expiresAt: time,
    scannedAt: orNull(time),
    score: orNull(Type.Integer({ minimum: 1, maximum: 5 })),
    comment: orNull(Type.String({ maxLength: 2 * commentMax })),
    answeredAt: orNull(time),
    changedAt: orNull(time),
    doubt: orNull(oneOf(doubts)),
  },
  strict,
);

export const viewRecord = Type.Object(
  { id, ownerId: orNull(id), createdBy: id, name, query: viewQuery, createdAt: time, updatedAt: time },
  strict,
);

export const draftRecord = Type.Object(
  {
    id,
    userId: id,
    ticketId: orNull(id),
    kind: oneOf(['answer', 'note', 'ticket']),
    subject: text,
    body: text,
    bodyHtml: orNull(text),
    toAddresses: Type.Optional(addresses),
    ccAddresses: Type.Optional(addresses),
    bccAddresses: Type.Optional(addresses),
    attachmentIds: Type.Optional(Type.Array(id)),
    mailboxId: orNull(id),
    fromAddress: orNull(text),
    lastSeenMessageId: orNull(id),
    quote: orNull(oneOf(['none', 'last', 'thread'])),
    forwardOfId: orNull(id),
    savedReplyId: orNull(id),
    runsActions: Type.Optional(Type.Boolean()),
    startsAs: orNull(Type.Object({ status: oneOf(statuses), assigneeId: orNull(id), tags }, strict)),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    createdAt: time,
    updatedAt: time,
    attachments: Type.Optional(Type.Array(attachmentRecord)),
  },
  strict,
);

export const auditRecord = Type.Object(
  {
    id,
    type: oneOf(Object.keys(auditSubjects)),
    actorUserId: orNull(id),
    actorKeyId: orNull(id),
    subjectId: id,
    data: json,
    ip: orNull(name),
    userAgent: orNull(text),
    correlationId: orNull(name),
    createdAt: time,
  },
  strict,
);
