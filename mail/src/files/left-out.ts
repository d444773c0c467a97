/** Tells from the notes of mail programs which mails of an import are drafts, deleted, spam or chats. */
import { decodeWords } from '../encoded-words.ts';
import { fieldOf, readHeaderBlock } from '../header-fields.ts';
import { kindOfFolder, kindOfLabel, type LeftOut, leftOutKinds } from './folder-words.ts';
import { headerStartOf } from './mail-beginning.ts';

const fieldCharsMax = 2_000;

/**
 * Why an import leaves a mail out, or null.
 * @param folders the names of the folders and of the mbox file in which it lies
 * @param fileName its own file in a Maildir, whose end has flags
 */
export function leftOutOf(
  mail: Buffer,
  { folders, fileName }: { folders: readonly string[]; fileName: string | undefined },
): LeftOut | null {
  const { fields } = readHeaderBlock(mail, headerStartOf(mail), mail.length);
  const signs = [
    ...[...folders].reverse().map(kindOfFolder),
    fileName === undefined ? undefined : kindOfMaildirFlags(fileName),
    ...[kindOfGmail, kindOfMozilla, kindOfStatus, kindOfEvolution, kindOfKeywords, kindOfOutlook, kindOfApple].map(
      (kindIn) => kindIn((name) => fieldOf(fields, name)?.slice(0, fieldCharsMax) ?? null),
    ),
  ];
  return signs.find((kind) => kind !== undefined) ?? null;
}

/** Pine and UW-IMAP keep data of their own in a first mail of the file. */
export function isInternalMail(mail: Buffer): boolean {
  const { fields } = readHeaderBlock(mail, headerStartOf(mail), mail.length);
  const isOfProgram = fieldOf(fields, 'x-imap') !== null || fieldOf(fields, 'x-imapbase') !== null;
  return isOfProgram && /^DON'T DELETE THIS MESSAGE/.test(fieldOf(fields, 'subject') ?? '');
}

type Fields = (name: string) => string | null;

/** `1234.host:2,ST`, on Windows with another character than the colon. */
function kindOfMaildirFlags(fileName: string): LeftOut | undefined {
  return kindOfFlags(/[:;!_-]2,([A-Za-z]*)$/.exec(fileName)?.[1] ?? '', { draft: 'D', deleted: 'T' });
}

function kindOfFlags(
  flags: string,
  { draft, deleted }: { draft: string | undefined; deleted: string },
): LeftOut | undefined {
  if (draft !== undefined && flags.includes(draft)) return 'drafts';
  return flags.includes(deleted) ? 'deleted' : undefined;
}

function kindOfGmail(field: Fields): LeftOut | undefined {
  const labels = decodeWords(field('x-gmail-labels') ?? '').split(',');
  const kinds = labels.map((label) => kindOfLabel(label.replace(/^\s*"|"\s*$/g, '')));
  return leftOutKinds.find((kind) => kinds.includes(kind));
}

const mozillaExpunged = 0x0008;
const mozillaQueued = 0x0800;
const mozillaDeletedByImap = 0x0020_0000;
const mozillaTemplate = 0x0100_0000;

/** Thunderbird deletes by a mark, until it compacts the folder. */
function kindOfMozilla(field: Fields): LeftOut | undefined {
  const flags = hexOf(field('x-mozilla-status')) | hexOf(field('x-mozilla-status2'));
  if ((flags & (mozillaExpunged | mozillaDeletedByImap)) !== 0) return 'deleted';
  if ((flags & (mozillaQueued | mozillaTemplate)) !== 0) return 'drafts';
  return field('x-mozilla-draft-info') === null ? undefined : 'drafts';
}

function hexOf(value: string | null): number {
  return /^[0-9a-f]{4,8}$/i.test(value ?? '') ? Number.parseInt(value ?? '', 16) : 0;
}

/** Mutt, Pine, Dovecot and others: `Status: RO`, `X-Status: AFTD`. Mail of servers has other fields of this name. */
function kindOfStatus(field: Fields): LeftOut | undefined {
  const flagsOf = (name: string) => /^[A-Z]{1,8}$/.exec(field(name) ?? '')?.[0] ?? '';
  return (
    kindOfFlags(flagsOf('x-status'), { draft: 'T', deleted: 'D' }) ??
    kindOfFlags(flagsOf('status'), { draft: undefined, deleted: 'D' })
  );
}

const evolutionDeleted = 0x2;
const evolutionDraft = 0x4;
const evolutionJunk = 0x80;

/** `X-Evolution: 0000002a-0012`: a number, and flags. */
function kindOfEvolution(field: Fields): LeftOut | undefined {
  const flags = hexOf(/^[0-9a-f]{1,8}-([0-9a-f]{4,8})/i.exec(field('x-evolution') ?? '')?.[1] ?? null);
  if ((flags & evolutionDeleted) !== 0) return 'deleted';
  if ((flags & evolutionDraft) !== 0) return 'drafts';
  return (flags & evolutionJunk) === 0 ? undefined : 'spam';
}

function kindOfKeywords(field: Fields): LeftOut | undefined {
  const keywords = `${field('x-keywords') ?? ''} ${field('x-mozilla-keys') ?? ''}`.toLowerCase().split(/[\s,]+/);
  const isJunk = keywords.includes('junk') || keywords.includes('$junk');
  return isJunk && !keywords.includes('nonjunk') && !keywords.includes('$notjunk') ? 'spam' : undefined;
}

/** Outlook opens such a file for writing. */
function kindOfOutlook(field: Fields): LeftOut | undefined {
  return field('x-unsent')?.trim() === '1' ? 'drafts' : undefined;
}

/** Apple Mail keeps the notes of a device in a folder beside the mail. */
function kindOfApple(field: Fields): LeftOut | undefined {
  const type = field('x-uniform-type-identifier')?.trim();
  return type === 'com.apple.mail-draft' || type === 'com.apple.mail-note' ? 'drafts' : undefined;
}
