/** Faults and habits of real IMAP servers. A test may change them at any time. */
import type { Random } from '../random.ts';

export type ImapQuirks = {
  /** Capabilities that the server does not announce. It still knows their commands. */
  hiddenCapabilities: readonly string[];
  /** Further capabilities that the server announces, such as Yahoo's XYMHIGHESTMODSEQ. */
  extraCapabilities: readonly string[];
  /** `zero` as Purelymail; `none` answers NOMODSEQ. */
  highestModSeq: 'usual' | 'zero' | 'none';
  /** Every folder has UIDVALIDITY 0. */
  hasZeroUidValidity: boolean;
  /** UIDs that no FETCH of a range shows; a FETCH of one mail does (Yahoo). */
  omittedUids: ReadonlySet<number>;
  /** UIDs of mails that another client expunges at the moment when their content is asked for. */
  expungedOnFetch: ReadonlySet<number>;
  /** No answer tells UIDNEXT. */
  hidesUidNext: boolean;
  /** The time zone of the dates of SEARCH, in hours east of UTC. */
  zoneHours: number;
  /** RFC822 is empty, BODY[] right (iCloud). */
  hasEmptyRfc822: boolean;
  /** Announces a literal of so many bytes for each BODY[], and sends no more than the mail. */
  announcedBytes: number | null;
  /** ENVELOPE is NIL. */
  hasNilEnvelope: boolean;
  /** APPEND is refused with this code, such as OVERQUOTA. */
  appendRefusal: 'OVERQUOTA' | 'TRYCREATE' | 'TOOBIG' | 'LIMIT' | null;
  /** Every sign-in is refused with this code (RFC 5530), even with the right password. */
  loginRefusal: 'UNAVAILABLE' | 'LIMIT' | 'AUTHENTICATIONFAILED' | 'CONTACTADMIN' | null;
  /** Folders open only after ID (163.com, 126.com). */
  needsId: boolean;
  /** Connections of one account at a time. More are refused with LIMIT. */
  connectionsMax: number;
  /** How late IDLE tells of a change. Dovecot takes half a second. */
  idleDelayMs: number;
  /** The submission server files a copy in the Sent folder by itself. */
  filesSentCopies: boolean;
  /** The submission server gives each mail a Message-ID of its own (SES). */
  rewritesMessageIds: boolean;
  /** Senders are refused unless they are the account's address. */
  checksSender: boolean;
};

export const usualQuirks: ImapQuirks = {
  hiddenCapabilities: [],
  extraCapabilities: [],
  highestModSeq: 'usual',
  hasZeroUidValidity: false,
  omittedUids: new Set(),
  expungedOnFetch: new Set(),
  hidesUidNext: false,
  zoneHours: 0,
  hasEmptyRfc822: false,
  announcedBytes: null,
  hasNilEnvelope: false,
  appendRefusal: null,
  loginRefusal: null,
  needsId: false,
  connectionsMax: 10,
  idleDelayMs: 0,
  filesSentCopies: false,
  rewritesMessageIds: false,
  checksSender: true,
};

export type ImapFault = {
  /** The command's name without UID, such as FETCH; or `any`. */
  on: string;
  /**
   * `dropped` loses the connection, `stalled` never answers, `late` carries the command out before it is dropped, and
   * `answered-bye` answers and says BYE in the same packet.
   */
  kind: 'no' | 'bad' | 'bye' | 'dropped' | 'stalled' | 'late' | 'answered-bye';
  /** The response code of a refusal, such as UNAVAILABLE. */
  code?: string;
  /** How many commands succeed first. */
  skips?: number;
  /** How many commands fail. Default: one command; with a `rate`, all commands. */
  times?: number;
  /** The share of commands that fail, drawn at random. */
  rate?: number;
};

export type ImapFaults = {
  set(fault: ImapFault): void;
  clear(): void;
  take(command: string): ImapFault | undefined;
};

export function openImapFaults(random: Random): ImapFaults {
  const faults: { fault: ImapFault; skips: number; left: number }[] = [];
  return {
    set: (fault) => {
      const left = fault.times ?? (fault.rate === undefined ? 1 : Number.POSITIVE_INFINITY);
      faults.push({ fault, skips: fault.skips ?? 0, left });
    },
    clear: () => {
      faults.length = 0;
    },
    take: (command) => {
      const at = faults.findIndex(
        ({ fault }) =>
          (fault.on === 'any' || fault.on === command) && (fault.rate === undefined || random.fraction() < fault.rate),
      );
      const taken = faults[at];
      if (taken === undefined) return undefined;
      if (taken.skips-- > 0) return undefined;
      taken.left--;
      if (taken.left < 1) faults.splice(at, 1);
      return taken.fault;
    },
  };
}
