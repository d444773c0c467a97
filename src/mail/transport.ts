import type { Readable } from 'node:stream';
import type { RefusedRecipients, SentCopy, UnfiledCopy } from './provider.ts';
import type { ProviderFault } from './provider-fault.ts';

export type OutgoingMail = {
  /** MAIL FROM. Empty for automatic mail that must not bounce. */
  envelopeFrom: string;
  recipients: string[];
  /** The whole message (RFC 5322) with CRLF line ends. The transport opens a stream only when it needs the bytes. */
  raw: Uint8Array | (() => Readable);
  /**
   * Awaited when the other side is ready for the content and has none of it yet. From then on, only the other side's
   * answer tells whether the mail left. If it throws, the mail does not leave.
   */
  beforeContent?: () => Promise<void>;
  /** Gives the mail up. */
  signal?: AbortSignal;
};

/** How sending ended, by SMTP or through a mailbox. */
export type SendOutcome = SentOutcome | SendRefusal;

export type SentOutcome = {
  ok: true;
  /** In the mailbox's sent folder, as far as the folder shows it by now. */
  copy?: SentCopy | null;
  unfiled?: UnfiledCopy | undefined;
  /** The mail became a file, because no mail server is set: nobody gets it. */
  isFile?: true;
  /** The server refused some recipients, and took the mail for the rest. */
  refused?: RefusedRecipients | undefined;
};

export type SendRefusal = {
  ok: false;
  /** A retry cannot succeed. */
  permanent: boolean;
  /** The other side may have the whole mail: a retry may send the mail twice. */
  mayHaveLeft?: true;
  /** The server refuses the recipients, and not the sign-in. */
  isOfRecipients?: true;
  /** The server refuses every mail that this account sends from this address. */
  isOfSender?: true;
  /**
   * For the log: the server's status (`451`), or the error's code (`ETIMEDOUT`) if there was no status. No personal
   * data.
   */
  code: string;
  /** The failure in the server's words. May contain addresses. */
  reason: string;
  /** The fault of the mailbox's provider, if any. */
  fault?: ProviderFault;
};

/** A refusal that passes, unless `rest` tells otherwise. */
export function refusal(code: string, reason: string, rest: Partial<SendRefusal> = {}): SendRefusal {
  return { ok: false, permanent: false, code, reason, ...rest };
}

/** Sends composed mail. `send` never throws: it returns the failure as its outcome. */
export type MailTransport = {
  send(mail: OutgoingMail): Promise<SendOutcome>;
  close(): Promise<void>;
};

/** Yields the bytes of a mail after `beforeContent` has resolved. */
export async function* contentOf({ raw, beforeContent }: OutgoingMail): AsyncGenerator<Uint8Array, void> {
  await beforeContent?.();
  if (typeof raw === 'function') yield* raw();
  else yield raw;
}
