import { bounceKinds } from '@kontor/mail/bounces/bounce-kinds.ts';
import {
  authenticationResults,
  authenticationVerdicts,
  type MailAuthentication,
} from '@kontor/mail/mail-authentication.ts';
import { Type } from 'typebox';
import { matchedBys } from '../../ground/catalog/matched-by.ts';
import { ids, nullable, oneOf, snippet, timestamp, uuid } from '../../ground/http/schema.ts';
import type { HtmlRanges } from '../../ground/lib/html/html-ranges.ts';
import type { MessageId, UserId } from '../../ground/lib/ids.ts';
import { mailCuts } from '../../ground/lib/mail-cuts.ts';
import { attachmentSchema, type StoredAttachment } from '../files/schema.ts';
import { listedMail } from './scheduled-schema.ts';

export const messageParams = Type.Object({ workspaceId: ids.workspace, ticketId: ids.ticket, messageId: ids.message });

export const directions = ['inbound', 'outbound', 'internal'] as const;
/** The statuses of a mail that did not arrive, or may not have arrived. */
export const deliveryProblems = ['failed', 'bounced', 'uncertain'] as const;
export const deliveryStatuses = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'failed',
  'bounced',
  'uncertain',
  'cancelled',
] as const;

const authentication = Type.Object(
  {
    verdict: oneOf(authenticationVerdicts),
    spf: oneOf(authenticationResults),
    dkim: oneOf(authenticationResults),
    dmarc: oneOf(authenticationResults),
  },
  { description: 'For incoming mail: whether the domain in From really sent it.' },
);

export const messageSchema = Type.Object({
  id: ids.message,
  ticketId: ids.ticket,
  direction: oneOf(directions),
  author: Type.Object({
    type: oneOf(['customer', 'agent', 'system']),
    userId: nullable(ids.user),
    name: nullable(Type.String()),
    email: nullable(Type.String()),
  }),
  subject: nullable(Type.String({ description: 'The subject of a mail, if its ticket had another one.' })),
  body: Type.String(),
  bodyHtml: nullable(Type.String({ description: 'Sanitised; inline images are kept as cid: references.' })),
  replyText: nullable(
    Type.String({
      description: 'What the writer added to the text quoted in `body`; null when the whole body is new.',
    }),
  ),
  newHtml: nullable(
    Type.String({
      description:
        'The part of `bodyHtml` that the writer added to the quoted mail; null when there is nothing to fold.',
    }),
  ),
  quotedHtml: nullable(
    Type.String({ description: 'The part of `bodyHtml` that is quoted; null when there is nothing to fold.' }),
  ),
  isInternal: Type.Boolean(),
  to: Type.Array(Type.String()),
  cc: Type.Array(Type.String()),
  bcc: Type.Array(Type.String(), {
    description: 'For an answer: recipients whom the other recipients do not see.',
  }),
  replyTo: Type.Array(Type.String(), {
    description: 'For incoming mail: its Reply-To, where the writer wants answers. A sender can write any address.',
  }),
  envelopeFrom: nullable(Type.String({ description: 'For incoming mail: the address of MAIL FROM, empty for `<>`.' })),
  authentication: nullable(authentication),
  isSenderKnown: nullable(
    Type.Boolean({
      description:
        'For incoming mail to an existing ticket: whether its author took part before. False for a forged From, and ' +
        'for a forwarded mail.',
    }),
  ),
  forwardedBy: nullable(
    Type.Unsafe<UserId>({
      ...uuid,
      description: 'The member who forwarded this mail to us. Its author is the person whom the forwarded mail names.',
    }),
  ),
  matchedBy: nullable(
    oneOf(matchedBys, { description: 'For incoming mail to an existing ticket: what led it there.' }),
  ),
  forwardOf: nullable(Type.Unsafe<MessageId>({ ...uuid, description: 'The message that this message forwards.' })),
  fromAddress: nullable(
    Type.String({
      description:
        'For an answer: the address from which it is to leave, if its writer chose one. ' +
        'Null: the one to which the customer wrote, else that of the mailbox.',
    }),
  ),
  remoteImages: Type.Array(
    Type.Object({
      address: Type.String({ description: 'The address in `data-src`.' }),
      url: Type.String({
        description: 'Shows the picture without a token for 10 to 20 minutes, without contacting its server.',
      }),
    }),
    { description: 'The first 200 pictures of `bodyHtml` that are on other servers.' },
  ),
  showsRemoteImages: Type.Boolean({
    description: 'Whether to show the author’s pictures without asking; always false for forged mail.',
  }),
  attachments: Type.Array(attachmentSchema),
  delivery: nullable(
    Type.Object({
      status: oneOf(deliveryStatuses),
      error: nullable(Type.String()),
      sentAt: nullable(timestamp),
      isFile: Type.Boolean({
        description:
          'Whether the mail became a file of the outbox, because no mail server is set. ' +
          'Then nobody got it, though the status is `sent`.',
      }),
      attempts: Type.Integer(),
      nextAttemptAt: nullable(
        Type.String({ format: 'date-time', description: 'Also when a scheduled message leaves.' }),
      ),
      unlessReplied: Type.Optional(
        Type.Boolean({ description: 'For a scheduled message: whether a mail of a customer cancels it.' }),
      ),
      isDraftAgain: Type.Optional(
        Type.Boolean({
          description: 'For a cancelled message: whether its text is a draft again, and leaves from there.',
        }),
      ),
      handledAt: nullable(
        Type.String({
          format: 'date-time',
          description: 'When a person marked it as handled that the mail did not arrive.',
        }),
      ),
      bounceKind: nullable(
        oneOf(bounceKinds, {
          description:
            'For a bounced message. hard: the address does not work; soft: a later mail may arrive; unknown: unclear.',
        }),
      ),
      enhancedStatusCode: nullable(
        Type.String({ description: 'For a bounced message: the status code of the bounce (RFC 3463), if any.' }),
      ),
    }),
  ),
  automaticKind: nullable(
    Type.String({ description: 'What kind of program sent the mail: auto-reply, list, bounce, delay, …' }),
  ),
  redacted: nullable(
    Type.Object(
      { at: timestamp, by: nullable(ids.user) },
      { description: 'When somebody removed its content for good, and who; by null: the erasure of a person.' },
    ),
  ),
  truncated: Type.Array(oneOf(mailCuts), { description: 'The parts that were cut from a very large mail.' }),
  createdAt: timestamp,
  sentAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'The Date header of the mail. The sender wrote it, so it may be wrong.',
    }),
  ),
});
export type Message = Type.Static<typeof messageSchema>;

const { body, bodyHtml, replyText, newHtml, quotedHtml, ...head } = messageSchema.properties;
/** A message in a list. Texts are missing when only heads were requested. */
const listedMessageSchema = Type.Object({
  ...head,
  ...Type.Partial(Type.Object({ body, bodyHtml, replyText, newHtml, quotedHtml })).properties,
  snippet,
});
export const messagePageSchema = Type.Object({
  messages: Type.Array(listedMessageSchema, { description: 'Oldest first.' }),
  earlierCursor: nullable(Type.String({ description: 'Pass it as `before` to get the page before this one.' })),
});
/** A query parameter of reads about one ticket. */
export const trash = Type.Optional(
  Type.Boolean({ description: 'Whether to find the ticket even if it is in the trash.' }),
);

export const listMessagesQuery = Type.Object({
  before: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'An `earlierCursor`. Default: the newest page.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 30 })),
  trash,
  bodies: Type.Optional(oneOf(['all', 'none'], { description: '`none` leaves out the texts.' })),
});

export type DeliveryProblem = (typeof deliveryProblems)[number];

export const listUndeliveredQuery = Type.Object({
  delivery: Type.Optional(
    Type.Array(oneOf(deliveryProblems), { maxItems: 3, description: 'Repeated: any of them. Default: all.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});

export const undeliveredPageSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      ...listedMail,
      status: oneOf(deliveryProblems),
      error: nullable(Type.String({ description: 'What the mail server said.' })),
      attempts: Type.Integer(),
      bounceKind: nullable(oneOf(bounceKinds)),
      enhancedStatusCode: nullable(Type.String()),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
});
export type Undelivered = Type.Static<typeof undeliveredPageSchema>['items'][number];

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * A message as stored. Each answer signs the file addresses anew, and never shows `deliveredTo` or which fields a
 * signature covers.
 */
export type StoredMessage = Omit<
  Message,
  'attachments' | 'authentication' | 'newHtml' | 'quotedHtml' | 'remoteImages'
> & {
  authentication: MailAuthentication | null;
  quotedHtmlRanges: HtmlRanges | null;
  deliveredTo: string[];
  attachments: StoredAttachment[];
};
