import { Type } from 'typebox';
import { whenAnsweredSchema } from '../../access/workspaces/schema.ts';
import { emailAddress, ids, nullable, oneOf, timestamp, trimmedText, uuid } from '../../ground/http/schema.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { afterIntakes, sentCopies, serverSecurities } from '../provider.ts';
import { reasonKeys } from '../providers/mailbox-reasons.ts';
import { allTraits, oauthTraits, providerKeys } from '../providers/registry.ts';

const provider = oneOf(Object.values(providerKeys));
const reasonKey = oneOf(reasonKeys, {
  description: 'Which of a closed list of reasons it is, for translations; null for reasons without one.',
});
const statuses = ['active', 'paused', 'reauthorization_required', 'error'] as const;

export const mailboxSchema = Type.Object({
  id: uuid,
  provider: { ...provider, description: `${allTraits.map(({ key, product }) => `${key}: ${product}`).join('; ')}.` },
  address: Type.String(),
  delegateAddress: nullable(
    Type.String({
      description: "The account whose rights open a shared mailbox; null when the mailbox's own account does.",
    }),
  ),
  aliases: Type.Array(Type.String(), {
    description:
      'Its other addresses. Answers never go to them. mail-a and mail-b: read from the provider once a day; ' +
      'imap: those that you name.',
  }),
  sendAs: Type.Array(Type.String(), {
    description: 'imap: the addresses beside its own from which it may send. Other providers tell themselves.',
  }),
  senders: Type.Array(Type.String(), {
    description: 'All addresses from which an answer can leave (`fromAddress`), its own first.',
  }),
  name: nullable(Type.String()),
  status: { ...oneOf(statuses), description: 'Whether its mail is fetched.' },
  statusReason: nullable(Type.String({ description: 'What is wrong, and what helps.' })),
  statusReasonKey: nullable(reasonKey),
  statusChangedAt: timestamp,
  sendStatus: {
    ...oneOf(['active', 'error']),
    description:
      'Whether the provider accepts its outgoing mail. ' +
      'Says nothing while the mailbox is paused or must be connected again.',
  },
  sendStatusReason: nullable(Type.String()),
  sendStatusReasonKey: nullable(reasonKey),
  sendStatusChangedAt: timestamp,
  defaultAssigneeId: nullable(ids.user),
  defaultTags: Type.Array(Type.String()),
  teamId: nullable({ ...ids.team, description: 'The team in which its tickets begin.' }),
  whenAnswered: nullable({ ...whenAnsweredSchema, description: "Null: as the workspace's `whenAnswered` says." }),
  signature: nullable(Type.String()),
  connectedAt: timestamp,
  lastSyncedAt: nullable({ ...timestamp, description: 'When the last complete sync ended.' }),
  unreachableSince: nullable({
    ...timestamp,
    description: 'Since when no read has succeeded; null if the last one did. One failed read changes no `status`.',
  }),
  stuckMails: Type.Integer({
    description: 'Mails that the provider lists but does not deliver to us. Kontor tries them again.',
  }),
  history: nullable(
    Type.Object({
      since: timestamp,
      isComplete: Type.Boolean({ description: 'Whether all older mail since `since` is imported.' }),
    }),
  ),
  watches: Type.Array(Type.Object({ key: Type.String(), expiresAt: timestamp }), {
    description: 'Notifications from the provider. Without them the service checks for new mail every few minutes.',
  }),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type MailboxView = Type.Static<typeof mailboxSchema>;

export const mailboxParams = Type.Object({ workspaceId: ids.workspace, mailboxId: uuid });

const daysMax = 365;
const options = {
  name: Type.Optional(nullable(trimmedText(0, 100))),
  defaultAssigneeId: Type.Optional(nullable(ids.user)),
  defaultTags: Type.Optional(
    Type.Array(trimmedText(1, 64), { maxItems: 10_000, description: 'At most 50 different ones.' }),
  ),
  signature: Type.Optional(
    nullable({
      ...trimmedText(0, 5_000),
      description: 'Plain text, put below each answer whose author has no signature.',
    }),
  ),
};
const historyDays = Type.Optional(
  Type.Integer({ minimum: 0, maximum: daysMax, description: 'Days of older mail to import; default 0.' }),
);

/** Defaults for tickets of a mailbox, and the signature of its answers. */
export type MailboxOptions = {
  name?: string | null;
  defaultAssigneeId?: UserId | null;
  defaultTags?: string[];
  signature?: string | null;
};
export type ConnectOptions = MailboxOptions & { historyDays?: number };

const sharedAddress = Type.Optional(
  Type.Unsafe<string>({
    ...emailAddress,
    description:
      'mail-a: the address of a shared mailbox that the consenting account has rights to; ' +
      '`address` is then the address of that account.',
  }),
);

const port = Type.Integer({ minimum: 1, maximum: 65_535 });
export const serverEnd = Type.Object({
  host: trimmedText(1, 253),
  port,
  security: { ...oneOf(serverSecurities), description: '`none` only for a server on the same machine.' },
});
const secret = (description: string) => Type.String({ minLength: 1, maxLength: 8_192, description });

const oauth = Type.Object(
  {
    tokenUrl: Type.Unsafe<string>({ ...trimmedText(1, 2_048), description: 'Where tokens are renewed (RFC 6749 §6).' }),
    clientId: trimmedText(1, 500),
    clientSecret: Type.Optional(secret('Left out for a public client. Never shown again.')),
    scope: Type.Optional(trimmedText(1, 2_000)),
  },
  { description: 'imap: signs in with XOAUTH2 instead of a password.' },
);
const folderPath = trimmedText(1, 500);
const inboxPaths = Type.Array(folderPath, {
  minItems: 1,
  maxItems: 20,
  description: 'imap: the folders that are read; the inbox by default.',
});

const afterIntake = {
  afterIntake: Type.Optional({
    ...oneOf(afterIntakes),
    description:
      'imap: what becomes of a new mail on the server, once it is a message here. `leave`, the default, changes ' +
      'nothing; `seen` marks it as read; `move` moves it to `movePath`.',
  }),
  movePath: Type.Optional(nullable({ ...folderPath, description: 'imap: a folder that is not read.' })),
};

export const connectMailboxBody = Type.Object({
  provider,
  address: emailAddress,
  sharedAddress,
  refreshToken: Type.Optional(
    secret(
      'mail-a and mail-b: the token, issued to the application of this service. Required there. ' +
        'imap: with `oauth`, instead of a password.',
    ),
  ),
  imap: Type.Optional({
    ...serverEnd,
    description: 'imap: the server that is read. Required there, unless a connected mailbox has it.',
  }),
  smtp: Type.Optional({
    ...serverEnd,
    description: 'imap: the server that sends. Required there, unless a connected mailbox has it.',
  }),
  username: Type.Optional({ ...trimmedText(1, 500), description: 'imap: for both servers; the address by default.' }),
  password: Type.Optional(secret('imap: for both servers. Required there without `oauth`, and never shown again.')),
  oauth: Type.Optional(oauth),
  inboxPaths: Type.Optional(inboxPaths),
  sentPath: Type.Optional({
    ...trimmedText(1, 500),
    description: 'imap: the folder of sent mail, if it is not found.',
  }),
  sentCopy: Type.Optional({
    ...oneOf(sentCopies),
    description: 'imap: who files the copy of an answer: Kontor (`append`), the server, or whoever `auto` finds out.',
  }),
  ...afterIntake,
  ...options,
  historyDays,
});
export type ConnectMailboxBody = Type.Static<typeof connectMailboxBody>;

/** Where in the web inbox a consent can begin. */
export const returnPlaces = ['settings'] as const;
export type ReturnPlace = (typeof returnPlaces)[number];

export const beginConsentBody = Type.Object({
  provider: oneOf(oauthTraits.map(({ key }) => key)),
  address: Type.Optional(
    Type.Unsafe<string>({ ...emailAddress, description: 'The account that must consent. Another account is refused.' }),
  ),
  sharedAddress,
  ...options,
  historyDays,
  returnTo: Type.Optional({
    ...oneOf(returnPlaces),
    description: 'Leads the browser back to the web inbox, with the outcome in the address, instead of showing a page.',
  }),
});

export const consentBegun = Type.Object({
  consentUrl: Type.String({ description: 'Open this address in the browser of the person who consents.' }),
  adminConsentUrl: nullable(
    Type.String({
      description:
        'For an administrator of the organisation, when its people may not consent themselves. ' +
        'Begin the consent again after the approval. Null for Gmail.',
    }),
  ),
  expiresAt: timestamp,
});

const code = Type.String({ minLength: 1, maxLength: 8_192 });
const state = Type.String({ minLength: 1, maxLength: 500 });
export const finishConsentBody = Type.Object({ state, code });
/** RFC 6749 §4.1.2, plus the parameter that Entra adds when it returns from its page for administrators. */
export const callbackQuery = Type.Object({
  state,
  code: Type.Optional(code),
  error: Type.Optional(Type.String({ maxLength: 500 })),
  error_description: Type.Optional(Type.String({ maxLength: 8_192 })),
  admin_consent: Type.Optional(Type.String({ maxLength: 20 })),
});
export type CallbackQuery = Type.Static<typeof callbackQuery>;

export const aliasesMax = 100;
/** Each new one is a sign-in at the mail server. */
const sendAsMax = 20;

export const updateMailboxBody = Type.Object({
  ...options,
  teamId: Type.Optional(nullable(ids.team)),
  whenAnswered: Type.Optional(nullable(whenAnsweredSchema)),
  aliases: Type.Optional(
    Type.Array(emailAddress, {
      maxItems: aliasesMax,
      description:
        "imap: the mailbox's other addresses; replaces the whole list. Other providers list them themselves.",
    }),
  ),
  sendAs: Type.Optional(
    Type.Array(emailAddress, {
      maxItems: sendAsMax,
      description:
        'imap: the addresses beside its own from which it may send; replaces the whole list. ' +
        'Each new one is first tried at the mail server. Other providers tell themselves.',
    }),
  ),
});

export const chooseFoldersBody = Type.Object({
  inboxPaths,
  sentPath: Type.Optional(nullable({ ...folderPath, description: 'The folder of sent mail; null for none.' })),
  ...afterIntake,
});
