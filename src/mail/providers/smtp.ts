/** The way out over SMTP (RFC 5321), through a pool of connections. */
import { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import { oneLine } from '../encoded-words.ts';
import { contentOf, type MailTransport, type OutgoingMail, type SendOutcome, type SendRefusal } from '../transport.ts';

export type SmtpLimits = {
  /** Longest wait for a connection and a greeting. */
  timeoutSeconds?: number;
  /** Longest wait for any other answer: what looks at a mail before it takes it may need its time. */
  answerSeconds?: number;
  /** Longest time for one mail, its wait for a free connection included. */
  sendSeconds?: number;
  connectionsMax?: number;
};

/**
 * Opens a transport to one SMTP server; connections are made when mail is sent.
 * Only an answer of 5xx to this mail (sender, recipients, content) is permanent: refused sign-in, TLS and network trouble
 * are the operator's and pass. A connection that is lost once the content has gone to its end may have delivered it; before
 * that the server lacks the final dot, without which no mail is taken (RFC 5321 §4.1.1.4). Some recipients refused while
 * others were taken is permanent too, and the reason names them: trying again would reach the others twice.
 * @param url `smtp://` or `smtps://`, with user and password if the server needs them. A password is sent only over TLS, unless
 * the address ends in `?tls=optional`
 */
export function openSmtp(url: string, limits: SmtpLimits = {}): MailTransport {
  const { timeoutSeconds = 30, answerSeconds = 120, sendSeconds = 300, connectionsMax = 5 } = limits;
  const pool = nodemailer.createTransport({
    ...addressOf(url),
    pool: true,
    maxConnections: connectionsMax,
    // Else nodemailer sends again by itself what a closed connection may have delivered.
    maxRequeues: 0,
    connectionTimeout: timeoutSeconds * 1000,
    greetingTimeout: timeoutSeconds * 1000,
    socketTimeout: answerSeconds * 1000,
    dnsTimeout: timeoutSeconds * 1000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The content of each mail under way, known by the mail's own signal.
  const contents = new WeakMap<object, Content>();
  pool.use('stream', (mail, done) => {
    const content = mail.data.signal && contents.get(mail.data.signal);
    // Unlike `raw`, which is read ahead, what a process function gives is read when the server has answered 354 to DATA.
    if (content !== undefined) mail.message.processFunc(() => content.stream);
    done();
  });
  return {
    async send(mail) {
      const signal = AbortSignal.timeout(sendSeconds * 1000);
      const content = openContent(mail);
      contents.set(signal, content);
      try {
        const envelope = { from: mail.envelopeFrom, to: mail.recipients.map(asOneMailbox) };
        return outcomeOf(await pool.sendMail({ envelope, raw: Buffer.alloc(0), signal }));
      } catch (error) {
        return refusal(error, content.isWhole());
      } finally {
        content.stream.destroy();
      }
    },
    async close() {
      pool.close();
    },
  };
}

/** Requires TLS for a password: an attacker in between could strip STARTTLS from the server's answer and read it. */
function addressOf(url: string): { url: string; requireTLS: boolean } {
  const address = new URL(url);
  const isOptional = address.searchParams.get('tls') === 'optional';
  address.searchParams.delete('tls');
  return { url: address.href, requireTLS: address.username !== '' && !isOptional };
}

/** A string is read as a list of addresses: of `"smith;j"@…` it would make `j@…`, who is somebody else. */
function asOneMailbox(address: string): { name: string; address: string } {
  return { name: '', address };
}

type Content = {
  /** Not begun before it is read. */
  stream: Readable;
  /** Whether all of it has been given away, so that the final dot may follow. */
  isWhole(): boolean;
};

function openContent(mail: OutgoingMail): Content {
  let isWhole = false;
  const read = async function* () {
    yield* contentOf(mail);
    isWhole = true;
  };
  return { stream: Readable.from(read(), { objectMode: false }), isWhole: () => isWhole };
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

function refusal(error: unknown, mayBeWhole: boolean): SendRefusal {
  const { message, code, originalCode, responseCode } = asFault(error);
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isPermanent = isOfThisMail && (responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500);
  const isRefused = responseCode !== undefined && responseCode >= 400;
  return {
    ok: false,
    permanent: isPermanent,
    ...(mayBeWhole && !isRefused ? { mayHaveLeft: true } : {}),
    code: String(responseCode ?? originalCode ?? code ?? 'unknown'),
    reason: oneLine(message).slice(0, REASON_CHARS_MAX).toWellFormed(),
  };
}

type Fault = { message: string; code?: string; originalCode?: string; responseCode?: number };

function asFault(error: unknown): Fault {
  // nodemailer's own fields, on whatever it rejects with.
  return error instanceof Error ? (error as Fault) : { message: 'unknown' };
}
