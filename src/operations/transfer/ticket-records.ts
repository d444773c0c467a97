import { deskSources } from '@kontor/mail/desk-tokens.ts';
import { authenticationResults, authenticationVerdicts } from '@kontor/mail/mail-authentication.ts';
import { type Static, Type } from 'typebox';
import { causeKinds } from '../../ground/catalog/cause.ts';
import { eventTypes } from '../../ground/catalog/events.ts';
import { matchedBys } from '../../ground/catalog/matched-by.ts';
import { statuses } from '../../ground/catalog/ticket-status.ts';
import {
  addresses,
  attachmentRecord,
  bytes,
  count,
  id,
  json,
  mailKey,
  name,
  oneOf,
  orNull,
  providers,
  sha256,
  strict,
  tags,
  text,
  time,
} from './record-fields.ts';

/** The records of a ticket and its mail, as `workspace-records.ts` has those of the workspace. */

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

/** How a mail found its ticket. Statements read these. */
const threading = Type.Object({
  isSenderKnown: orNull(Type.Boolean()),
  matchedBy: orNull(oneOf(matchedBys)),
  fingerprint: orNull(text),
});

const authentication = Type.Object(
  {
    verdict: oneOf(authenticationVerdicts),
    spf: oneOf(authenticationResults),
    dkim: oneOf(authenticationResults),
    dmarc: oneOf(authenticationResults),
    signedFields: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 })),
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

/** No address fits in, so that an erasure has nothing to look for. */
const threadToken = Type.Object(
  { source: oneOf(deskSources), token: Type.String({ pattern: '^[^@\\s]+$', maxLength: 300 }) },
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
    teamId: orNull(id),
    tags: Type.Optional(tags),
    requesterId: orNull(id),
    requesterChosenAt: orNull(time),
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
    threadTokens: Type.Optional(Type.Array(threadToken, { maxItems: 100_000 })),
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
    subject: orNull(text),
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
    forwardedById: orNull(id),
    fromAddress: orNull(text),
    /** Nothing that waits: an import sends no mail. */
    deliveryStatus: orNull(oneOf(['sent', 'failed', 'bounced', 'uncertain', 'cancelled'])),
    deliveryError: orNull(text),
    deliveryAttempts: Type.Optional(count),
    isFile: orNull(Type.Boolean()),
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
    cause: orNull(
      Type.Object({ kind: oneOf(causeKinds), id: Type.Union([id, Type.Null()]), depth: Type.Optional(count) }, strict),
    ),
    createdAt: time,
  },
  strict,
);
export type EventRecord = Static<typeof eventRecord>;

export const endRecord = Type.Object({ kind: Type.Literal('end'), lines: count }, strict);
