import { randomUUID } from 'node:crypto';

/** The mail of one account, as an IMAP server keeps it. */
export type ImapMail = {
  uid: number;
  raw: Buffer;
  internalDate: Date;
  flags: Set<string>;
  modseq: number;
  /** Keeps its value when the mail moves (RFC 8474). */
  emailId: string;
};

export type ImapFolder = {
  path: string;
  specialUse: string | null;
  uidValidity: number;
  uidNext: number;
  modseq: number;
  /** In order of their UIDs. */
  mails: ImapMail[];
  mailboxId: string;
};

export type ImapAccount = {
  address: string;
  password: string;
  /** Tokens that XOAUTH2 takes. */
  tokens: Set<string>;
  /** Other addresses from which it may send, in lower case. */
  sendsFrom: Set<string>;
  folders: Map<string, ImapFolder>;
  /** Called after each change of a folder. */
  watchers: Set<(folder: ImapFolder) => void>;
};

export type Arrival = { raw: Buffer | string; flags?: readonly string[]; internalDate?: Date; emailId?: string };

const usualFolders = (delimiter: string): [string, string | null][] => [
  ['INBOX', null],
  ['Sent', '\\Sent'],
  ['Drafts', '\\Drafts'],
  ['Junk', '\\Junk'],
  ['Trash', '\\Trash'],
  ['Archive', '\\Archive'],
  [`Archive${delimiter}2025`, null],
];

export function makeAccount(
  address: string,
  password: string,
  { delimiter, now }: { delimiter: string; now: () => Date },
): ImapAccount {
  const [tokens, sendsFrom] = [new Set<string>(), new Set<string>()];
  const account = { address, password, tokens, sendsFrom, folders: new Map(), watchers: new Set<never>() };
  for (const [path, specialUse] of usualFolders(delimiter)) addFolder(account, path, { specialUse, now });
  return account;
}

export function addFolder(
  account: Pick<ImapAccount, 'folders'>,
  path: string,
  { specialUse = null, now }: { specialUse?: string | null; now: () => Date },
): ImapFolder {
  const uidValidity = Math.floor(now().getTime() / 1000) + account.folders.size;
  const made = { path, specialUse, uidValidity, uidNext: 1, modseq: 1, mails: [], mailboxId: randomUUID() };
  account.folders.set(path, made);
  return made;
}

export function findFolder(account: ImapAccount, path: string): ImapFolder | undefined {
  return account.folders.get(path.toUpperCase() === 'INBOX' ? 'INBOX' : path);
}

export function changed(account: ImapAccount, folder: ImapFolder): void {
  for (const watcher of account.watchers) watcher(folder);
}

export function addMail(account: ImapAccount, folder: ImapFolder, arrival: Arrival & { now: () => Date }): ImapMail {
  const { raw, flags = [], internalDate = arrival.now(), emailId = randomUUID() } = arrival;
  const mail: ImapMail = {
    uid: folder.uidNext++,
    raw: typeof raw === 'string' ? Buffer.from(raw.replace(/\r?\n/g, '\r\n')) : raw,
    internalDate,
    flags: new Set(flags),
    modseq: ++folder.modseq,
    emailId,
  };
  folder.mails.push(mail);
  changed(account, folder);
  return mail;
}

export function removeMails(account: ImapAccount, folder: ImapFolder, uids: ReadonlySet<number>): void {
  folder.mails = folder.mails.filter(({ uid }) => !uids.has(uid));
  folder.modseq++;
  changed(account, folder);
}

/** Gives all mails new UIDs, as a server does that lost its index or was migrated. */
export function renewUidValidity(
  account: ImapAccount,
  folder: ImapFolder,
  { uidValidity = folder.uidValidity + 1, internalDate }: { uidValidity?: number; internalDate?: Date } = {},
): void {
  folder.uidValidity = uidValidity;
  folder.mails = folder.mails.map((mail, at) => ({
    ...mail,
    uid: at + 1,
    modseq: ++folder.modseq,
    internalDate: internalDate ?? mail.internalDate,
  }));
  folder.uidNext = folder.mails.length + 1;
  changed(account, folder);
}
