import type { Readable } from 'node:stream';

export type OutgoingMail = {
  /** MAIL FROM; empty for automatic mail that must not bounce. */
  envelopeFrom: string;
  recipients: string[];
  /** The whole message, RFC 5322, CRLF line ends; what is streamed is opened when its bytes are wanted. */
  raw: Uint8Array | (() => Readable);
  /**
   * Awaited when the other side waits for the content and has nothing of it yet: from here on only its answer tells whether
   * the mail left. When it throws, nothing leaves.
   */
  beforeContent?: () => Promise<void>;
};

export type SendOutcome = { ok: true } | SendRefusal;

export type SendRefusal = {
  ok: false;
  /** Trying again is of no use. */
  permanent: boolean;
  /** The way broke off where the other side may have had the whole mail: trying again may send it twice. */
  mayHaveLeft?: true;
  /** For the log: the server's status (`451`) or, where it gave none, the fault's name (`ETIMEDOUT`). Names nobody. */
  code: string;
  /** What happened, in the server's words; may hold addresses. */
  reason: string;
};

/** A way out for composed mail. `send` never throws: what went wrong is its outcome. */
export type MailTransport = {
  send(mail: OutgoingMail): Promise<SendOutcome>;
  close(): Promise<void>;
};

/** The bytes of a mail, once `beforeContent` has let them go. */
export async function* contentOf({ raw, beforeContent }: OutgoingMail): AsyncGenerator<Uint8Array, void> {
  await beforeContent?.();
  if (typeof raw === 'function') yield* raw();
  else yield raw;
}
