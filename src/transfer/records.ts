import { type Static, type TSchema, Type } from 'typebox';
import { auditSubjects } from '../catalog/audit.ts';
import { eventTypes } from '../catalog/events.ts';
import { roles } from '../catalog/permissions.ts';
import { tagColours } from '../catalog/tag-colours.ts';
import { statuses } from '../catalog/ticket-status.ts';
import { authenticationResults, authenticationVerdicts } from '../lib/mail-authentication.ts';
import { providerKeys } from '../mail/providers/registry.ts';
import { replyActions } from '../replies/schema.ts';
import { viewQuery } from '../views/schema.ts';

/**
 * The records of an export as an import accepts them. Whoever writes them may leave out optional fields.
 * `docs/export.md` describes them.
 */

const id = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$' });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const email = Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 320 });
const name = Type.String({ maxLength: 1_000 });
const text = Type.String();
const count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const bytes = Type.Integer({ minimum: 0, maximum: 2 ** 40 });
const addresses = Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 10_000 });
const tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 });
const json = Type.Record(Type.String(), Type.Unknown());
const mailKey = Type.String({ minLength: 1, maxLength: 512 });
const oneOf = (values: readonly string[]) => Type.Enum([...values]);
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));
const providers = Object.values(providerKeys);
const strict = { additionalProperties: false };

const tagColour = Type.Object({ tag: Type.String({ minLength: 1, maxLength: 64 }), colour: oneOf(tagColours) }, strict);

export const workspaceRecord = Type.Object(
  {
    id,
    name: Type.String({ minLength: 1, maxLength: 1_000 }),
    requireSecondFactor: Type.Optional(Type.Boolean()),
    tagColours: Type.Optional(Type.Array(tagColour, { maxItems: 500 })),
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
    signatureHtml: orNull(text),
    createdAt: orNull(time),
    removedAt: orNull(time),
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
    delegateAddress: orNull(email),
    signature: orNull(text),
    defaultAssigneeId: orNull(id),
    defaultTags: Type.Optional(tags),
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

const attachmentRecord = Type.Object(
  {
    id,
    fileName: Type.String({ maxLength: 1_000 }),
    contentType: Type.String({ maxLength: 255 }),
    sizeBytes: bytes,
    sha256,
    contentId: orNull(name),
    isInline: Type.Optional(Type.Boolean()),
    uploadedBy: orNull(id),
    createdAt: time,
  },
  strict,
);
export type AttachmentRecord = Static<typeof attachmentRecord>;

export const mailRecord = Type.Object(
  {
    id,
    sha256,
    sizeBytes: bytes,
    source: oneOf(['import', 'smtp', ...providers]),
    mailboxId: orNull(id),
    state: oneOf(['ingested', 'duplicate', 'quarantined']),
    fingerprint: orNull(Type.String({ maxLength: 128 })),
    fingerprintVersion: Type.Optional(count),
    note: orNull(text),
    envelopeFrom: orNull(text),
    envelopeTo: Type.Optional(addresses),
    envelopePeer: orNull(text),
    envelopeHelo: orNull(text),
    isHistory: Type.Optional(Type.Boolean()),
    receivedAt: time,
    erasedAt: orNull(time),
    discardedAt: orNull(time),
  },
  strict,
);
export type MailRecord = Static<typeof mailRecord>;

/** How a mail found its ticket. Statements read these two. */
const threading = Type.Object({ isSenderKnown: orNull(Type.Boolean()), fingerprint: orNull(text) });

const authentication = Type.Object(
  {
    verdict: oneOf(authenticationVerdicts),
    spf: oneOf(authenticationResults),
    dkim: oneOf(authenticationResults),
    dmarc: oneOf(authenticationResults),
  },
  strict,
);

const merge = Type.Object(
  {
    id,
    targetId: id,
    sourceStatus: oneOf(statuses),
    sourceArchivedAt: orNull(time),
    sourceSnoozedUntil: orNull(time),
    broughtTagKeys: Type.Optional(tags),
    broughtContactIds: Type.Optional(Type.Array(id)),
    mergedAt: time,
    messageIds: Type.Array(id),
  },
  strict,
);

export const ticketRecord = Type.Object(
  {
    kind: Type.Literal('ticket'),
    id,
    number: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    subject: Type.String({ maxLength: 10_000 }),
    status: oneOf(statuses),
    priority: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    assigneeId: orNull(id),
    tags: Type.Optional(tags),
    requesterId: orNull(id),
    channel: oneOf(['api', 'email']),
    mailboxId: orNull(id),
    isImportOnly: Type.Optional(Type.Boolean()),
    spamReason: orNull(text),
    mergedIntoId: orNull(id),
    continuedInId: orNull(id),
    missedMessageId: orNull(id),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    createdAt: time,
    updatedAt: Type.Optional(time),
    lastMessageAt: Type.Optional(time),
    waitingSince: orNull(time),
    closedAt: orNull(time),
    snoozedUntil: orNull(time),
    archivedAt: orNull(time),
    spamAt: orNull(time),
    trashedAt: orNull(time),
    participants: Type.Optional(Type.Array(Type.Object({ contactId: id, isKnown: Type.Boolean() }, strict))),
    followers: Type.Optional(Type.Array(Type.Object({ userId: id, createdAt: time }, strict))),
    namedMailIds: Type.Optional(Type.Array(mailKey)),
    sample: orNull(
      Type.Object(
        { script: Type.Union([count, Type.Null()]), replies: count, answeredId: Type.Union([id, Type.Null()]) },
        strict,
      ),
    ),
    merge: orNull(merge),
  },
  strict,
);
export type TicketRecord = Static<typeof ticketRecord>;

export const messageRecord = Type.Object(
  {
    kind: Type.Literal('message'),
    id,
    direction: oneOf(['inbound', 'outbound', 'internal']),
    authorType: oneOf(['customer', 'agent', 'system']),
    authorUserId: orNull(id),
    authorContactId: orNull(id),
    authorName: orNull(text),
    authorEmail: orNull(text),
    body: text,
    bodyHtml: orNull(text),
    replyText: orNull(text),
    quotedHtmlRanges: orNull(Type.Array(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }))),
    toAddresses: Type.Optional(addresses),
    ccAddresses: Type.Optional(addresses),
    bccAddresses: Type.Optional(addresses),
    replyToAddresses: Type.Optional(addresses),
    deliveredToAddresses: Type.Optional(addresses),
    envelopeFrom: orNull(text),
    rfcMessageId: orNull(text),
    automaticKind: orNull(name),
    threading: orNull(threading),
    authentication: orNull(authentication),
    truncated: Type.Optional(Type.Array(name, { maxItems: 100 })),
    forwardOfId: orNull(id),
    /** Nothing that waits: an import sends no mail. */
    deliveryStatus: orNull(oneOf(['sent', 'failed', 'bounced', 'uncertain', 'cancelled'])),
    deliveryError: orNull(text),
    deliveryAttempts: Type.Optional(count),
    deliveryBounceKind: orNull(oneOf(['hard', 'soft', 'unknown'])),
    deliveryEnhancedStatusCode: orNull(name),
    deliverySentAt: orNull(time),
    deliveryHandledAt: orNull(time),
    redactedAt: orNull(time),
    redactedBy: orNull(id),
    createdAt: time,
    sentAt: orNull(time),
    arrivedAt: orNull(time),
    mailIds: Type.Optional(Type.Array(mailKey)),
    attachments: Type.Optional(Type.Array(attachmentRecord)),
    mails: Type.Optional(Type.Array(mailRecord)),
  },
  strict,
);
export type MessageRecord = Static<typeof messageRecord>;

export const eventRecord = Type.Object(
  {
    kind: Type.Literal('event'),
    id,
    type: oneOf(eventTypes),
    actorType: oneOf(['customer', 'agent', 'system']),
    actorUserId: orNull(id),
    data: json,
    createdAt: time,
  },
  strict,
);
export type EventRecord = Static<typeof eventRecord>;

export const endRecord = Type.Object({ kind: Type.Literal('end'), lines: count }, strict);

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
    lastSeenMessageId: orNull(id),
    quote: orNull(oneOf(['none', 'last', 'thread'])),
    forwardOfId: orNull(id),
    savedReplyId: orNull(id),
    runsActions: Type.Optional(Type.Boolean()),
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
