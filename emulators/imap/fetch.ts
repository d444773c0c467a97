/** FETCH. */
import { quote, setReader, type Token } from './command.ts';
import { envelopeOf, imapDate, pickFields, splitMail } from './headers.ts';
import { changed, type ImapMail, removeMails } from './mailbox.ts';
import { flagsOf, type ImapSession, knownMails, Refusal, selectedFolder } from './world.ts';

const macros: Record<string, string[]> = {
  ALL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE'],
  FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'],
};

export function fetchMails(session: ImapSession, args: Token[], byUid: boolean): string {
  const [set, what, modifiers] = args;
  if (typeof set !== 'string' || what === undefined) throw new Refusal('FETCH needs a set and items', 'BAD');
  const items = (Array.isArray(what) ? what : (macros[what.toUpperCase()] ?? [what])).map(String);
  if (byUid && !items.some((item) => item.toUpperCase() === 'UID')) items.unshift('UID');
  const changedSince = changedSinceOf(modifiers);
  if (changedSince !== null) {
    session.usesCondstore = true;
    if (!items.some((item) => item.toUpperCase() === 'MODSEQ')) items.push('MODSEQ');
  }
  for (const { mail, sequence } of mailsOf(session, set, byUid)) {
    if (changedSince !== null && mail.modseq <= changedSince) continue;
    if (isExpungedNow(session, mail, items)) continue;
    const shown = items.map((item) => showItem(session, mail, item));
    session.write(`* ${sequence} FETCH (${shown.join(' ')})\r\n`);
  }
  return 'OK FETCH completed';
}

/** Expunges a mail that another client is to expunge while this client asks for its content. */
function isExpungedNow(session: ImapSession, mail: ImapMail, items: readonly string[]): boolean {
  const isContent = items.some((item) => /^BODY(\.PEEK)?\[\]/i.test(item));
  if (!isContent || !session.world.quirks.expungedOnFetch.has(mail.uid)) return false;
  const { account, folder } = selectedFolder(session);
  removeMails(account, folder, new Set([mail.uid]));
  return true;
}

function changedSinceOf(modifiers: Token | undefined): number | null {
  if (!Array.isArray(modifiers)) return null;
  const at = modifiers.findIndex((word) => String(word).toUpperCase() === 'CHANGEDSINCE');
  return at < 0 ? null : Number(modifiers[at + 1]);
}

export function mailsOf(session: ImapSession, set: string, byUid: boolean): { mail: ImapMail; sequence: number }[] {
  const mails = knownMails(session);
  const highest = byUid ? (mails.at(-1)?.mail.uid ?? 0) : session.known.size;
  const isIn = setReader(set, highest);
  const found = mails.filter(({ mail, sequence }) => isIn(byUid ? mail.uid : sequence));
  const { omittedUids } = session.world.quirks;
  return /^\d+$/.test(set) ? found : found.filter(({ mail }) => !omittedUids.has(mail.uid));
}

function showItem(session: ImapSession, mail: ImapMail, item: string): string {
  const { quirks } = session.world;
  const name = item.toUpperCase();
  switch (name) {
    case 'UID':
      return `UID ${mail.uid}`;
    case 'FLAGS':
      return `FLAGS ${flagsOf(mail)}`;
    case 'INTERNALDATE':
      return `INTERNALDATE ${imapDate(mail.internalDate)}`;
    case 'RFC822.SIZE':
      return `RFC822.SIZE ${mail.raw.length}`;
    case 'MODSEQ':
      session.usesCondstore = true;
      return `MODSEQ (${mail.modseq})`;
    case 'EMAILID':
      return `EMAILID (${mail.emailId})`;
    case 'ENVELOPE':
      return `ENVELOPE ${quirks.hasNilEnvelope ? 'NIL' : envelopeOf(mail.raw.toString('latin1'))}`;
    case 'RFC822':
      markSeen(session, mail);
      return quirks.hasEmptyRfc822 ? 'RFC822 ""' : `RFC822 ${literal(mail.raw.toString('latin1'))}`;
    case 'RFC822.HEADER':
      return `RFC822.HEADER ${literal(splitMail(mail.raw.toString('latin1')).header)}`;
    case 'RFC822.TEXT':
      return `RFC822.TEXT ${literal(splitMail(mail.raw.toString('latin1')).body)}`;
    default:
      return showSection(session, mail, item);
  }
}

function showSection(session: ImapSession, mail: ImapMail, item: string): string {
  const [, peek = '', section = '', range] = /^BODY(\.PEEK)?\[([^\]]*)\](?:<([\d.]+)>)?$/is.exec(item) ?? [];
  if (!item.includes('[')) throw new Refusal(`Unknown item ${item}`, 'BAD');
  if (peek === '') markSeen(session, mail);
  const whole = sectionOf(mail.raw.toString('latin1'), section);
  const announced = section === '' ? session.world.quirks.announcedBytes : null;
  if (range === undefined) return `BODY[${section}] ${literal(whole, announced)}`;
  const [start = 0, length = whole.length] = range.split('.').map(Number);
  return `BODY[${section}]<${start}> ${literal(whole.slice(start, start + length), announced)}`;
}

function sectionOf(raw: string, section: string): string {
  const { header, body } = splitMail(raw);
  const [, name = '', not, fields = ''] = /^([A-Z0-9]*(?:\.FIELDS)?)(\.NOT)?(?: \((.*)\))?$/is.exec(section) ?? [];
  switch (name.toUpperCase()) {
    case '':
      return raw;
    case 'HEADER':
      return header;
    case 'TEXT':
    case '1':
      return body;
    case 'HEADER.FIELDS':
      return pickFields(header, fields.replaceAll('"', '').split(' '), not !== undefined);
    default:
      throw new Refusal(`The emulator has no section ${quote(section)}`, 'BAD');
  }
}

function literal(text: string, announced: number | null = null): string {
  return `{${announced ?? text.length}}\r\n${text}`;
}

function markSeen(session: ImapSession, mail: ImapMail): void {
  if (session.isReadOnly || mail.flags.has('\\Seen')) return;
  const { account, folder } = selectedFolder(session);
  mail.flags.add('\\Seen');
  mail.modseq = ++folder.modseq;
  changed(account, folder);
}
