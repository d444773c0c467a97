export type OutgoingMail = {
  /** MAIL FROM; empty for automatic mail that must not bounce. */
  envelopeFrom: string;
  recipients: string[];
  /** The whole message, RFC 5322, CRLF line ends. */
  raw: Uint8Array;
};

export type SendOutcome = { ok: true } | { ok: false; permanent: boolean; reason: string };

/** A way out for composed mail. `send` never throws: what went wrong is its outcome. */
export type MailTransport = {
  send(mail: OutgoingMail): Promise<SendOutcome>;
  close(): Promise<void>;
};
