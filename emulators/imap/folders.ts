/** Commands about folders: LIST, STATUS, SELECT, CREATE and their kin. */

import { uidValidityOf } from './changes.ts';
import { quote, type Token } from './command.ts';
import { addFolder, findFolder, type ImapFolder } from './mailbox.ts';
import { type ImapSession, Refusal, signedIn } from './world.ts';

export function list(session: ImapSession, args: Token[], command: string): string {
  const account = signedIn(session);
  const { delimiter } = session.world;
  const [reference = '', pattern = ''] = args.filter((arg) => typeof arg === 'string');
  if (pattern === '') {
    session.write(`* ${command} (\\Noselect) ${quote(delimiter)} ""\r\n`);
    return `OK ${command} completed`;
  }
  const matches = patternReader(`${reference}${pattern}`, delimiter);
  for (const { path, specialUse } of account.folders.values()) {
    if (!matches(path)) continue;
    const hasChildren = [...account.folders.keys()].some((other) => other.startsWith(`${path}${delimiter}`));
    const attributes = [
      hasChildren ? '\\HasChildren' : '\\HasNoChildren',
      ...(specialUse === null ? [] : [specialUse]),
    ];
    session.write(`* ${command} (${attributes.join(' ')}) ${quote(delimiter)} ${quote(path)}\r\n`);
  }
  return `OK ${command} completed`;
}

/** `*` stands for anything, `%` for anything within a level. */
function patternReader(pattern: string, delimiter: string): (path: string) => boolean {
  const source = pattern.replace(/[.*+?^${}()|[\]\\%]/g, (char) => {
    if (char === '*') return '.*';
    return char === '%' ? `[^${delimiter === '/' ? '/' : `\\${delimiter}`}]*` : `\\${char}`;
  });
  const whole = new RegExp(`^${source}$`, pattern.toUpperCase() === 'INBOX' ? 'i' : '');
  return (path) => whole.test(path);
}

export function status(session: ImapSession, [path, items]: Token[]): string {
  const folder = findFolder(signedIn(session), String(path));
  if (folder === undefined) throw new Refusal(`[NONEXISTENT] No folder ${String(path)}`);
  const values: Record<string, string | number> = {
    MESSAGES: folder.mails.length,
    RECENT: 0,
    ...(session.world.quirks.hidesUidNext ? {} : { UIDNEXT: folder.uidNext }),
    UIDVALIDITY: uidValidityOf(session, folder),
    UNSEEN: folder.mails.filter(({ flags }) => !flags.has('\\Seen')).length,
    HIGHESTMODSEQ: session.world.quirks.highestModSeq === 'zero' ? 0 : folder.modseq,
    SIZE: folder.mails.reduce((bytes, { raw }) => bytes + raw.length, 0),
    MAILBOXID: `(${folder.mailboxId})`,
  };
  const asked = (Array.isArray(items) ? items : []).map((item) => String(item).toUpperCase());
  const shown = asked.filter((item) => item in values).map((item) => `${item} ${values[item]}`);
  session.write(`* STATUS ${quote(folder.path)} (${shown.join(' ')})\r\n`);
  return 'OK STATUS completed';
}

export function select(session: ImapSession, [path, parameters]: Token[], command: 'SELECT' | 'EXAMINE'): string {
  const account = signedIn(session);
  const { quirks } = session.world;
  if (quirks.needsId && !session.gaveId) throw new Refusal(`${command} Unsafe Login. Please contact the provider`);
  session.folder = null;
  const folder = findFolder(account, String(path));
  if (folder === undefined) throw new Refusal(`[NONEXISTENT] No folder ${String(path)}`);
  if (Array.isArray(parameters) && parameters.some((word) => String(word).toUpperCase() === 'CONDSTORE'))
    session.usesCondstore = true;
  session.folder = folder;
  session.isReadOnly = command === 'EXAMINE';
  session.known = new Map(folder.mails.map(({ uid, modseq }) => [uid, modseq]));
  const flags = '\\Answered \\Flagged \\Deleted \\Seen \\Draft';
  const lines = [
    `FLAGS (${flags})`,
    `OK [PERMANENTFLAGS (${session.isReadOnly ? '' : `${flags} \\*`})] Flags`,
    `${folder.mails.length} EXISTS`,
    '0 RECENT',
    `OK [UIDVALIDITY ${uidValidityOf(session, folder)}] UIDs valid`,
    ...(quirks.hidesUidNext ? [] : [`OK [UIDNEXT ${folder.uidNext}] Predicted next UID`]),
    `OK [MAILBOXID (${folder.mailboxId})] Id`,
    modseqLine(session, folder),
  ];
  for (const line of lines) session.write(`* ${line}\r\n`);
  return `OK [${session.isReadOnly ? 'READ-ONLY' : 'READ-WRITE'}] ${command} completed`;
}

function modseqLine({ world }: ImapSession, folder: ImapFolder): string {
  if (world.quirks.highestModSeq === 'none') return 'OK [NOMODSEQ] No modseqs';
  return `OK [HIGHESTMODSEQ ${world.quirks.highestModSeq === 'zero' ? 0 : folder.modseq}] Highest`;
}

export function create(session: ImapSession, [path]: Token[]): string {
  const account = signedIn(session);
  if (findFolder(account, String(path)) !== undefined) throw new Refusal('[ALREADYEXISTS] The folder exists');
  addFolder(account, String(path), { now: session.world.now });
  return 'OK CREATE completed';
}

export function remove(session: ImapSession, [path]: Token[]): string {
  const account = signedIn(session);
  if (String(path).toUpperCase() === 'INBOX') throw new Refusal('[CANNOT] INBOX stays');
  if (!account.folders.delete(String(path))) throw new Refusal('[NONEXISTENT] No such folder');
  return 'OK DELETE completed';
}

export function rename(session: ImapSession, [from, to]: Token[]): string {
  const account = signedIn(session);
  const folder = findFolder(account, String(from));
  if (folder === undefined || folder.path === 'INBOX') throw new Refusal('[CANNOT] The folder stays');
  account.folders.delete(folder.path);
  folder.path = String(to);
  account.folders.set(folder.path, folder);
  return 'OK RENAME completed';
}
