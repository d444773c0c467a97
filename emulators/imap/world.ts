import type { ImapAccount, ImapFolder, ImapMail } from './mailbox.ts';
import type { ImapFaults, ImapQuirks } from './quirks.ts';

/** What all connections of an emulator share. */
export type ImapWorld = {
  accounts: Map<string, ImapAccount>;
  quirks: ImapQuirks;
  faults: ImapFaults;
  delimiter: string;
  now: () => Date;
  certificate: { key: string; cert: string };
  sessions: Set<ImapSession>;
  /** Names of all commands so far, in order. */
  commands: string[];
};

/** One connection. */
export type ImapSession = {
  world: ImapWorld;
  isEncrypted: boolean;
  account: ImapAccount | null;
  folder: ImapFolder | null;
  isReadOnly: boolean;
  gaveId: boolean;
  usesCondstore: boolean;
  /** UID and modseq of each mail as the client knows them, in order of their sequence numbers. */
  known: Map<number, number>;
  write(text: string): void;
  drop(): void;
};

/** Ends a command with NO or BAD. */
export class Refusal extends Error {
  readonly status: 'NO' | 'BAD';

  constructor(text: string, status: 'NO' | 'BAD' = 'NO') {
    super(text);
    this.status = status;
  }
}

export function selectedFolder(session: ImapSession): { folder: ImapFolder; account: ImapAccount } {
  const { folder, account } = session;
  if (folder === null || account === null) throw new Refusal('No folder is selected', 'BAD');
  return { folder, account };
}

export function signedIn(session: ImapSession): ImapAccount {
  if (session.account === null) throw new Refusal('Sign in first', 'BAD');
  return session.account;
}

/** Mails that the client knows and that are still there, with their sequence numbers. */
export function knownMails(session: ImapSession): { mail: ImapMail; sequence: number }[] {
  const { folder } = selectedFolder(session);
  const byUid = new Map(folder.mails.map((mail) => [mail.uid, mail]));
  return [...session.known.keys()].flatMap((uid, at) => {
    const mail = byUid.get(uid);
    return mail === undefined ? [] : [{ mail, sequence: at + 1 }];
  });
}

export function flagsOf(mail: ImapMail): string {
  return `(${[...mail.flags].join(' ')})`;
}

/** Tells the client what changed in its folder since it was last told. */
export function tellChanges(session: ImapSession): void {
  const { folder, known } = session;
  if (folder === null) return;
  const current = new Map(folder.mails.map((mail) => [mail.uid, mail]));
  let sequence = 0;
  for (const uid of [...known.keys()]) {
    sequence++;
    const mail = current.get(uid);
    if (mail === undefined) {
      session.write(`* ${sequence} EXPUNGE\r\n`);
      known.delete(uid);
      sequence--;
    } else if (mail.modseq > (known.get(uid) ?? 0)) {
      known.set(uid, mail.modseq);
      const modseq = session.usesCondstore ? ` MODSEQ (${mail.modseq})` : '';
      session.write(`* ${sequence} FETCH (UID ${uid} FLAGS ${flagsOf(mail)}${modseq})\r\n`);
    }
  }
  const before = known.size;
  for (const mail of folder.mails) if (!known.has(mail.uid)) known.set(mail.uid, mail.modseq);
  if (known.size > before) session.write(`* ${known.size} EXISTS\r\n`);
}
