/** Commands that change mails: APPEND, STORE, MOVE, COPY, EXPUNGE. */
import type { Token } from './command.ts';
import { mailsOf } from './fetch.ts';
import { dateOf } from './headers.ts';
import { addMail, changed, findFolder, type ImapFolder, type ImapMail, removeMails } from './mailbox.ts';
import { flagsOf, type ImapSession, Refusal, selectedFolder, signedIn, tellChanges } from './world.ts';

const refusals = {
  OVERQUOTA: 'Quota exceeded',
  TRYCREATE: 'No such folder',
  TOOBIG: 'The mail is too large',
  LIMIT: 'Too many mails',
};

export function append(session: ImapSession, args: Token[]): string {
  const account = signedIn(session);
  const { quirks, now } = session.world;
  if (quirks.appendRefusal !== null) throw new Refusal(`[${quirks.appendRefusal}] ${refusals[quirks.appendRefusal]}`);
  const path = String(args[0]);
  const folder = findFolder(account, path);
  if (folder === undefined) throw new Refusal(`[TRYCREATE] No folder ${path}`);
  const flags = args.find((arg) => Array.isArray(arg)) ?? [];
  const internalDate = args.length > 2 && typeof args.at(-2) === 'string' ? dateOf(String(args.at(-2))) : undefined;
  const mail = addMail(account, folder, {
    raw: Buffer.from(String(args.at(-1)), 'latin1'),
    flags: flags.map(String),
    now,
    ...(internalDate !== undefined && args.length > 2 && args.at(-2) !== path && { internalDate }),
  });
  return `OK [APPENDUID ${uidValidityOf(session, folder)} ${mail.uid}] APPEND completed`;
}

export function uidValidityOf({ world }: ImapSession, folder: ImapFolder): number {
  return world.quirks.hasZeroUidValidity ? 0 : folder.uidValidity;
}

function writable(session: ImapSession) {
  if (session.isReadOnly) throw new Refusal('[READ-ONLY] The folder was opened by EXAMINE');
  return selectedFolder(session);
}

export function store(session: ImapSession, args: Token[], byUid: boolean): string {
  const { account, folder } = writable(session);
  const [set, ...rest] = args;
  const unchangedSince = unchangedSinceOf(rest);
  const [item, given] = rest;
  const { change = '', silent } = /^(?<change>[+-]?)FLAGS(?<silent>\.SILENT)?$/i.exec(String(item))?.groups ?? {};
  const flags = (Array.isArray(given) ? given : [given]).map(String);
  const modified: number[] = [];
  for (const { mail, sequence } of mailsOf(session, String(set), byUid)) {
    if (unchangedSince !== null && mail.modseq > unchangedSince) {
      modified.push(byUid ? mail.uid : sequence);
      continue;
    }
    if (change === '') mail.flags = new Set(flags);
    else for (const flag of flags) change === '+' ? mail.flags.add(flag) : mail.flags.delete(flag);
    mail.modseq = ++folder.modseq;
    session.known.set(mail.uid, mail.modseq);
    const modseq = session.usesCondstore ? ` MODSEQ (${mail.modseq})` : '';
    const shown = silent === undefined ? ` FLAGS ${flagsOf(mail)}` : '';
    if (shown !== '' || modseq !== '') session.write(`* ${sequence} FETCH (UID ${mail.uid}${shown}${modseq})\r\n`);
  }
  changed(account, folder);
  return modified.length > 0 ? `OK [MODIFIED ${modified}] Conditional STORE failed` : 'OK STORE completed';
}

/** Takes `(UNCHANGEDSINCE n)` from the front. */
function unchangedSinceOf(args: Token[]): number | null {
  if (!Array.isArray(args[0])) return null;
  const [, modseq] = args.shift() as Token[];
  return Number(modseq);
}

export function copy(session: ImapSession, args: Token[], byUid: boolean): string {
  const { copied } = copyMails(session, args, byUid);
  return `OK ${copied}COPY completed`;
}

export function move(session: ImapSession, args: Token[], byUid: boolean): string {
  const { account, folder } = writable(session);
  const { mails, copied } = copyMails(session, args, byUid);
  if (copied !== '') session.write(`* OK ${copied}Moved\r\n`);
  removeMails(account, folder, new Set(mails.map(({ uid }) => uid)));
  tellChanges(session);
  return 'OK MOVE completed';
}

function copyMails(session: ImapSession, [set, path]: Token[], byUid: boolean): { mails: ImapMail[]; copied: string } {
  const { account } = selectedFolder(session);
  const target = findFolder(account, String(path));
  if (target === undefined) throw new Refusal(`[TRYCREATE] No folder ${String(path)}`);
  const mails = mailsOf(session, String(set), byUid).map(({ mail }) => mail);
  const uids = mails.map(({ raw, flags, internalDate, emailId }) => {
    const { now } = session.world;
    return addMail(account, target, { raw, flags: [...flags], internalDate, emailId, now }).uid;
  });
  const from = mails.map(({ uid }) => uid);
  return { mails, copied: uids.length > 0 ? `[COPYUID ${uidValidityOf(session, target)} ${from} ${uids}] ` : '' };
}

export function expunge(session: ImapSession, args: Token[], byUid: boolean): string {
  const { account, folder } = writable(session);
  const mails = byUid ? mailsOf(session, String(args[0]), true).map(({ mail }) => mail) : folder.mails;
  const gone = mails.filter(({ flags }) => flags.has('\\Deleted')).map(({ uid }) => uid);
  removeMails(account, folder, new Set(gone));
  tellChanges(session);
  return 'OK EXPUNGE completed';
}
