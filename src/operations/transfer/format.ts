import { type Static, Type } from 'typebox';

/**
 * An export is a folder with one workspace: files of JSON lines, received mails and files. `docs/export.md` describes
 * it.
 */
export const format = 'kontor-1';

/** The files of records, in the order in which an import reads them: records name only records before them. */
export const recordFiles = [
  'workspace',
  'members',
  'teams',
  'calendars',
  'mailboxes',
  'contacts',
  'blocked-senders',
  'tickets',
  'mails',
  'saved-replies',
  'rules',
  'auto-replies',
  'surveys',
  'survey-asks',
  'views',
  'drafts',
  'audit',
] as const;
export type RecordFile = (typeof recordFiles)[number];

export const fileOf = (name: RecordFile): string => `${name}.jsonl`;

export const manifestSchema = Type.Object({
  format: Type.Literal(format),
  /** The files of records, with their size and SHA-256. */
  records: Type.Array(
    Type.Object({
      file: Type.Enum(recordFiles.map(fileOf)),
      lines: Type.Integer(),
      bytes: Type.Integer(),
      sha256: Type.String(),
    }),
  ),
  files: Type.Integer(),
  mails: Type.Integer(),
  /** Files and mails that records name and that the storage of the exported workspace had lost. */
  missing: Type.Array(Type.String()),
});
export type Manifest = Static<typeof manifestSchema>;

/** Where an export keeps the bytes of an attachment. */
export function pathOfFile(sha256: string): string {
  return `files/${sha256.slice(0, 2)}/${sha256}`;
}

/** Where an export keeps a received mail. */
export function pathOfMail(sha256: string): string {
  return `mail/${sha256.slice(0, 2)}/${sha256}.eml`;
}
