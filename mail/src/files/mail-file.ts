/** Why a file, or a part of it, gave no mails. */
export const skipReasons = [
  'empty-file',
  'not-a-mail',
  'unreadable',
  'damaged',
  'encrypted',
  'unknown-compression',
  'archive-in-archive',
  'too-many-files',
  'unpacks-too-far',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** A file in which mails may be: on the disk, or in an archive. */
export type MailFile = {
  /** The name to show. */
  source: string;
  /** Whether it counts as a mail even if its content does not look like a mail. */
  isMailByName: boolean;
  /** Its name, and those of the folders in which it lies. */
  fileName: string;
  folders: readonly string[];
  /** Its place on the disk. A file in an archive has none. */
  path?: string;
  /** Its size as the disk or the archive tells it, once it is open. */
  sizeBytes(): number;
  /** Throws an `UnreadableFile`, at once or amid the bytes. */
  open(): AsyncGenerator<Buffer>;
};

/** A problem of a file, which leaves the other files alone. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';

  readonly reason: SkipReason;

  constructor(reason: SkipReason, options?: ErrorOptions) {
    super(`a file gave no mails: ${reason}`, options);
    this.reason = reason;
  }
}

/** Whether a file of this name counts as a mail even if its content does not look like a mail. */
export function isMailName(name: string): boolean {
  return /\.emlx?$/i.test(name);
}
