/** The way out over SMTP (RFC 5321), through a pool of connections. */
import nodemailer from 'nodemailer';
import { oneLine } from '../encoded-words.ts';
import type { MailTransport, OutgoingMail, SendOutcome } from '../transport.ts';

export type SmtpLimits = {
  /** Longest wait for a connection, a greeting, or the next answer. */
  timeoutSeconds?: number;
  /** Longest time for one mail, its wait for a free connection included. */
  sendSeconds?: number;
  connectionsMax?: number;
};

/**
 * Opens a transport to one SMTP server; connections are made when mail is sent.
 * Only an answer of 5xx to this mail (sender, recipients, content) is permanent: refused sign-in, TLS and network trouble
 * are the operator's and pass. Some recipients refused while others were taken is permanent too, and the reason names
 * them: trying again would reach the others twice.
 * @param url `smtp://` or `smtps://`, with user and password where the server wants them
 */
export function openSmtp(url: string, limits: SmtpLimits = {}): MailTransport {
  const { timeoutSeconds = 30, sendSeconds = 300, connectionsMax = 5 } = limits;
  const pool = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    connectionTimeout: timeoutSeconds * 1000,
    greetingTimeout: timeoutSeconds * 1000,
    socketTimeout: timeoutSeconds * 1000,
    dnsTimeout: timeoutSeconds * 1000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      try {
        return outcomeOf(await pool.sendMail(message(mail, sendSeconds)));
      } catch (error) {
        return refusal(error);
      }
    },
    async close() {
      pool.close();
    },
  };
}

function message(mail: OutgoingMail, sendSeconds: number) {
  return {
    envelope: { from: mail.envelopeFrom, to: mail.recipients },
    raw: Buffer.from(mail.raw),
    signal: AbortSignal.timeout(sendSeconds * 1000),
  };
}

function outcomeOf(info: { rejected: readonly unknown[] }): SendOutcome {
  if (info.rejected.length === 0) return { ok: true };
  return {
    ok: false,
    permanent: true,
    reason: `refused for ${info.rejected.map(String).join(', ')}, sent to the others`,
  };
}

const REASON_CHARS_MAX = 500;

function refusal(error: unknown): SendOutcome {
  if (!(error instanceof Error)) return { ok: false, permanent: false, reason: 'unknown' };
  const { code, responseCode } = error as Error & { code?: unknown; responseCode?: unknown }; // nodemailer's own fields
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isPermanent = isOfThisMail && (typeof responseCode === 'number' ? responseCode >= 500 : code === 'EENVELOPE');
  return {
    ok: false,
    permanent: isPermanent,
    reason: oneLine(error.message).slice(0, REASON_CHARS_MAX).toWellFormed(),
  };
}
