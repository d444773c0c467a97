/** The way out over SMTP (RFC 5321), through a pool of connections. */
import type { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import { oneLine } from '../encoded-words.ts';
import type { MailTransport, OutgoingMail, SendOutcome, SendRefusal } from '../transport.ts';

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
 * are the operator's and pass. A connection that is lost once the content is under way may have delivered it. Some recipients refused while others were taken is permanent too, and the reason names
 * them: trying again would reach the others twice.
 * @param url `smtp://` or `smtps://`, with user and password where the server wants them
 */
export function openSmtp(url: string, limits: SmtpLimits = {}): MailTransport {
  const { timeoutSeconds = 30, sendSeconds = 300, connectionsMax = 5 } = limits;
  const pool = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    // Else nodemailer sends again by itself what a closed connection may have delivered.
    maxRequeues: 0,
    connectionTimeout: timeoutSeconds * 1000,
    greetingTimeout: timeoutSeconds * 1000,
    socketTimeout: timeoutSeconds * 1000,
    dnsTimeout: timeoutSeconds * 1000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // What nodemailer reads of each mail, known by the mail's own signal.
  const contents = new WeakMap<object, Readable>();
  pool.use('stream', (mail, done) => {
    mail.message.processFunc((content) => {
      if (mail.data.signal) contents.set(mail.data.signal, content);
      return content;
    });
    done();
  });
  return {
    async send(mail) {
      const signal = AbortSignal.timeout(sendSeconds * 1000);
      try {
        return outcomeOf(await pool.sendMail({ ...message(mail), signal }));
      } catch (error) {
        // It is read from the server's go-ahead to DATA on.
        return refusal(error, contents.get(signal)?.readableDidRead === true);
      }
    },
    async close() {
      pool.close();
    },
  };
}

function message(mail: OutgoingMail) {
  return {
    envelope: { from: mail.envelopeFrom, to: mail.recipients },
    raw: Buffer.from(mail.raw),
  };
}

function outcomeOf(info: {
  rejected: readonly unknown[];
  rejectedErrors?: { responseCode?: number | undefined }[] | undefined;
}): SendOutcome {
  if (info.rejected.length === 0) return { ok: true };
  return {
    ok: false,
    permanent: true,
    code: String(info.rejectedErrors?.[0]?.responseCode ?? 'EENVELOPE'),
    reason: `refused for ${info.rejected.map(String).join(', ')}, sent to the others`,
  };
}

const REASON_CHARS_MAX = 500;

function refusal(error: unknown, isContentUnderWay: boolean): SendRefusal {
  const { message, code, originalCode, responseCode } = asFault(error);
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isPermanent = isOfThisMail && (responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500);
  const isRefused = responseCode !== undefined && responseCode >= 400;
  return {
    ok: false,
    permanent: isPermanent,
    ...(isContentUnderWay && !isRefused ? { mayHaveLeft: true } : {}),
    code: String(responseCode ?? originalCode ?? code ?? 'unknown'),
    reason: oneLine(message).slice(0, REASON_CHARS_MAX).toWellFormed(),
  };
}

type Fault = { message: string; code?: string; originalCode?: string; responseCode?: number };

function asFault(error: unknown): Fault {
  // nodemailer's own fields, on whatever it rejects with.
  return error instanceof Error ? (error as Fault) : { message: 'unknown' };
}
