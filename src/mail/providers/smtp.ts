/** Sends mail by SMTP (RFC 5321) through a pool of connections. */
import { Readable } from 'node:stream';
import { oneLine } from '@kontor/mail/encoded-words.ts';
import nodemailer from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import { traced } from '../../ground/lib/traced.ts';
import { contentOf, type MailTransport, type OutgoingMail, type SendOutcome, type SendRefusal } from '../transport.ts';
import { needsSmtpUtf8, offersSmtpUtf8 } from './offers-utf8.ts';

export type SmtpLimits = {
  /** The longest wait for a connection and a greeting. */
  timeoutSeconds?: number;
  /**
   * The longest wait for any other answer. A server that scans a mail before it accepts the mail may need this time.
   */
  answerSeconds?: number;
  /** The longest time for one mail, including the wait for a free connection. */
  sendSeconds?: number;
  connectionsMax?: number;
};

/**
 * Opens a transport to one SMTP server. It connects when it sends mail.
 * - Only a 5xx answer to this mail (sender, recipients, content) is permanent. A refused sign-in, TLS errors and
 *   network errors are temporary, because the operator can correct them.
 * - A connection that breaks after the whole content may have delivered the mail. Before that, the server lacks the
 *   final dot, and accepts no mail without the dot (RFC 5321 §4.1.1.4).
 * - If the server refuses only some recipients, the failure is permanent and names them, because a retry would reach
 *   the other recipients twice.
 * - An address with other letters than ASCII before its `@` needs a server with SMTPUTF8 (RFC 6531). At any other
 *   server, the mail fails for good and goes to nobody. A domain goes in its ASCII form.
 * @param url `smtp://` or `smtps://`, with user and password if the server needs them. Sends a password only over TLS,
 * unless the address ends in `?tls=optional`.
 */
export function openSmtp(url: string, limits: SmtpLimits = {}): MailTransport {
  return openPool(addressOf(url), limits);
}

export type Submission = {
  host: string;
  servername?: string;
  port: number;
  security: 'tls' | 'starttls' | 'none';
  username: string;
  secret: { password: string } | { accessToken: string };
};

/** Opens a transport to the SMTP account of one mailbox. */
export function openSubmission(server: Submission): MailTransport {
  const { username: user, secret } = server;
  const auth = 'password' in secret ? { user, pass: secret.password } : { type: 'OAuth2' as const, user, ...secret };
  return openPool({ ...connectionOf(server), auth }, { connectionsMax: 1 });
}

export function connectionOf({ host, port, security, servername }: Submission) {
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(servername === undefined ? {} : { tls: { servername } }),
  };
}

type PoolAddress = { url: string; requireTLS: boolean } | SMTPTransport.Options;

function openPool(address: PoolAddress, limits: SmtpLimits): MailTransport {
  const { timeoutSeconds = 30, answerSeconds = 120, sendSeconds = 300, connectionsMax = 5 } = limits;
  const pool = nodemailer.createTransport({
    ...address,
    pool: true,
    maxConnections: connectionsMax,
    // Otherwise nodemailer would resend a mail that a closed connection may have delivered.
    maxRequeues: 0,
    connectionTimeout: timeoutSeconds * 1000,
    greetingTimeout: timeoutSeconds * 1000,
    socketTimeout: answerSeconds * 1000,
    dnsTimeout: timeoutSeconds * 1000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The content of each mail in progress, by the mail's own signal.
  const contents = new WeakMap<object, Content>();
  pool.use('stream', (mail, done) => {
    const content = mail.data.signal && contents.get(mail.data.signal);
    // nodemailer reads `raw` ahead, but reads the stream of a process function only after the server's 354 to DATA.
    if (content !== undefined) mail.message.processFunc(() => content.stream);
    done();
  });
  return {
    async send(mail) {
      // A signal of its own for each mail: it names the mail's content.
      const signal = AbortSignal.any([AbortSignal.timeout(sendSeconds * 1000), ...(mail.signal ? [mail.signal] : [])]);
      const content = openContent(mail);
      contents.set(signal, content);
      try {
        const beyond = [mail.envelopeFrom, ...mail.recipients].filter(needsSmtpUtf8);
        if (beyond.length > 0 && !(await offersSmtpUtf8(pool.options, signal))) return unwritable(beyond);
        const envelope = { from: mail.envelopeFrom, to: mail.recipients.map(asOneMailbox) };
        const work = { kind: 'call', peer: 'SMTP', operation: 'send' } as const;
        return outcomeOf(await traced(work, () => pool.sendMail({ envelope, raw: Buffer.alloc(0), signal })));
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

/**
 * Requires TLS for a password, because an attacker could strip STARTTLS from the server's answer and read the
 * password.
 */
function addressOf(url: string): { url: string; requireTLS: boolean } {
  const address = new URL(url);
  const isOptional = address.searchParams.get('tls') === 'optional';
  address.searchParams.delete('tls');
  return { url: address.href, requireTLS: address.username !== '' && !isOptional };
}

/**
 * nodemailer reads a string as an address list. It would turn `"smith;j"@…` into `j@…`, which is another person.
 */
function asOneMailbox(address: string): { name: string; address: string } {
  return { name: '', address };
}

type Content = {
  /** Starts only when somebody reads it. */
  stream: Readable;
  /** Whether the transport has taken all of the stream, so that the final dot may follow. */
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
  const code = String(info.rejectedErrors?.[0]?.responseCode ?? 'EENVELOPE');
  return {
    ok: true,
    refused: { code, reason: `refused for ${info.rejected.map(String).join(', ')}, sent to the others` },
  };
}

/** No retry helps, and other recipients would get the mail twice: it goes to nobody. */
function unwritable(addresses: readonly string[]): SendRefusal {
  const named = oneLine(addresses.join(', ')).slice(0, REASON_CHARS_MAX).toWellFormed();
  return {
    ok: false,
    permanent: true,
    isOfRecipients: true,
    code: 'ESMTPUTF8',
    reason: `The mail server takes only addresses in plain letters (it offers no SMTPUTF8): ${named}`,
  };
}

const REASON_CHARS_MAX = 500;

export function refusal(error: unknown, mayBeWhole: boolean): SendRefusal {
  const { message, code, originalCode, responseCode, command } = asFault(error);
  // Without a status, nodemailer itself refused the addresses.
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isPermanent = isOfThisMail && (responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500);
  const isRefused = responseCode !== undefined && responseCode >= 400;
  return {
    ok: false,
    permanent: isPermanent,
    ...(mayBeWhole && !isRefused ? { mayHaveLeft: true } : {}),
    ...(isOfSender(asFault(error)) ? { isOfSender: true } : {}),
    ...(command === 'RCPT TO' ? { isOfRecipients: true } : {}),
    code: String(responseCode ?? originalCode ?? code ?? 'unknown'),
    reason: oneLine(message).slice(0, REASON_CHARS_MAX).toWellFormed(),
  };
}

/** Postfix refuses a sender only after RCPT TO, and Exchange after the content. */
const senderRefusals = /sender address rejected|not owned by|5\.7\.60|SendAsDenied/i;
/** RFC 5321, RFC 1870: these say that the mail or the command is wrong. */
const otherRefusals = new Set([500, 501, 502, 503, 504, 530, 534, 535, 538, 552, 554, 555]);

function isOfSender({ message, command, responseCode = 0 }: Fault): boolean {
  if (responseCode < 500) return false;
  return senderRefusals.test(message) || (command === 'MAIL FROM' && !otherRefusals.has(responseCode));
}

type Fault = { message: string; code?: string; originalCode?: string; responseCode?: number; command?: string };

function asFault(error: unknown): Fault {
  // nodemailer adds these fields to its errors.
  return error instanceof Error ? (error as Fault) : { message: 'unknown' };
}
