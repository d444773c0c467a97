import { skipReasons } from '@kontor/mail/files/mail-file.ts';
import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, uuid } from '../../../ground/http/schema.ts';
import { importedStatuses } from '../raw-mails.ts';

/** How many files one upload may have. More come as an archive. */
export const filesMax = 1_000;

export const importParams = Type.Object({ workspaceId: ids.workspace, importId: uuid });

const ownAddress = Type.String({ minLength: 3, maxLength: 254 });
export const importQuery = Type.Object({
  status: Type.Optional(
    oneOf(importedStatuses, { description: '`open` by default. Archived tickets are closed, too. An answer reopens.' }),
  ),
  ownAddress: Type.Optional(
    Type.Union([ownAddress, Type.Array(ownAddress, { maxItems: 50 })], {
      description:
        'An address of the team, or all of a domain as `@example.com`; may be repeated. Mail from it counts as sent ' +
        'by you. The mailboxes of the workspace and its inbound address count anyway.',
    }),
  ),
});
export type ImportQuery = Type.Static<typeof importQuery>;

/** Only for the OpenAPI document. `read-upload.ts` checks a form as it streams in. */
export const importForm = Type.Object({
  file: Type.Unsafe<string>({ type: 'string', format: 'binary', description: 'A file; may be repeated.' }),
});

/** Why an import ended early. */
export const importFailures = ['file_missing', 'storage_full', 'fault'] as const;
export type ImportFailure = (typeof importFailures)[number];

const count = (description: string) => Type.Integer({ description });

export const importSchema = Type.Object({
  id: uuid,
  createdBy: ids.user,
  createdAt: timestamp,
  status: oneOf(importedStatuses),
  ownAddresses: Type.Array(Type.String()),
  fileNames: Type.Array(Type.String(), { description: 'The first ten.' }),
  fileCount: Type.Integer(),
  state: oneOf(['running', 'stopping', 'done', 'stopped', 'failed']),
  failure: nullable(oneOf(importFailures)),
  finishedAt: nullable(timestamp),
  size: count('The bytes of all files.'),
  processed: count('How many of these bytes are done.'),
  mailsPerSecond: nullable(Type.Number()),
  secondsLeft: nullable(Type.Integer({ description: 'An estimate; null before the first mails and at the end.' })),
  read: count('Mails that were found.'),
  imported: count('Mails that became messages.'),
  known: count('Mails that were here already.'),
  quarantined: count('Mails that could not be understood; the quarantine lists them.'),
  passedOver: count('Files without mails, and mails that are too large. `problems` has the reasons.'),
  leftOut: Type.Object(
    {
      drafts: count('Drafts, templates and unsent mails.'),
      deleted: count('Mails in the trash, or marked as deleted.'),
      spam: count('Mails in the junk folder, or marked as junk.'),
      chats: count("Gmail's chats."),
    },
    { description: 'Mails that are no correspondence, as the notes of the mail program say.' },
  ),
  tickets: count('How many tickets there are more.'),
});
export type Import = Type.Static<typeof importSchema>;

const problem = Type.Object({
  source: Type.String({ description: 'The file; in an mbox with `#` and the place of the mail in bytes.' }),
  reason: oneOf([...skipReasons, 'too-large']),
  message: Type.String(),
});

export const importWithProblems = Type.Object({
  ...importSchema.properties,
  problems: Type.Array(problem, { description: 'The first 200 files and mails that were passed over.' }),
});
export type ImportWithProblems = Type.Static<typeof importWithProblems>;
