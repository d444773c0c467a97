/** The faults of an IMAP server, and their evidence about our access. */
import type { ServerLogin } from '../../provider.ts';
import { ProviderFault, type ServerRefusal } from '../../provider-fault.ts';
import { maskSecret } from '../mask-secret.ts';

/** A mail of more bytes is set aside. */
export const mailBytesMax = 64 * 1024 * 1024;

export function aborted(options?: { mayHaveHappened: boolean }): ProviderFault {
  return new ProviderFault('unavailable', 'aborted', 'The work was given up.', options);
}

export type ImapError = Error & {
  code?: string;
  authenticationFailed?: boolean;
  serverResponseCode?: string;
  responseText?: string;
  response?: string | { attributes?: { section?: { value?: unknown }[] }[] };
};

/** The code in brackets (RFC 5530). imapflow names it after a sign-in alone. */
function responseCodeOf({ serverResponseCode, response }: ImapError): string | undefined {
  if (serverResponseCode !== undefined || typeof response !== 'object') return serverResponseCode;
  const value = response.attributes?.[0]?.section?.[0]?.value;
  return typeof value === 'string' ? value.toUpperCase() : undefined;
}

/** RFC 5530: these say that a right password was refused for now. */
const passingRefusals = new Set(['UNAVAILABLE', 'LIMIT', 'INUSE', 'SERVERBUG', 'CONTACTADMIN']);
/** What servers say in place of these codes, Gmail and Courier among them. */
const passingWords = /too many|simultaneous|maximum number|temporar/i;
/** RFC 5530: the password is wrong, or ended, even if the words sound like a passing fault. */
const lastingRefusals = new Set(['AUTHENTICATIONFAILED', 'AUTHORIZATIONFAILED', 'EXPIRED']);

function isPassing(code = '', text = ''): boolean {
  return passingRefusals.has(code) || (!lastingRefusals.has(code) && passingWords.test(text));
}

export function faultOf(error: unknown): unknown {
  if (error instanceof ProviderFault || !(error instanceof Error)) return error;
  const { code = 'imap', authenticationFailed, responseText } = error as ImapError;
  const serverResponseCode = responseCodeOf(error as ImapError);
  if (authenticationFailed) {
    if (isPassing(serverResponseCode, responseText)) {
      const sentence = `The server lets nobody sign in now: ${responseText ?? serverResponseCode}`;
      return new ProviderFault('throttled', 'unreachable', sentence, { retryAfterMs: 300_000, cause: error });
    }
    const sentence = 'The IMAP server refuses the user name or the password: connect the mailbox with the right ones.';
    return new ProviderFault('unauthorized', 'imap_login' satisfies ServerRefusal, sentence, { cause: error });
  }
  if (isTlsError(code)) return tlsFault('IMAP', error);
  if (code === 'LiteralTooLarge')
    return new ProviderFault(
      'refused',
      'too_large',
      `The server announces more than ${mailBytesMax} bytes for a mail.`,
      {
        cause: error,
      },
    );
  if (serverResponseCode === 'NOPERM')
    return new ProviderFault('forbidden', serverResponseCode, `The IMAP server forbids it: ${responseText}`, {
      cause: error,
    });
  if (serverResponseCode === 'LIMIT')
    return new ProviderFault('throttled', serverResponseCode, `The IMAP server asks to wait: ${responseText}`, {
      retryAfterMs: 60_000,
      cause: error,
    });
  if (responseText !== undefined)
    return new ProviderFault('unavailable', serverResponseCode ?? code, `The IMAP server says: ${responseText}`, {
      cause: error,
    });
  return new ProviderFault('unavailable', 'unreachable', `The IMAP server is out of reach: ${error.message}`, {
    cause: error,
  });
}

export function isTlsError(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|ETLS|HOSTNAME_MISMATCH)/.test(code);
}

/** OpenSSL's words for a server that answers in plain text. */
const plainWords = /wrong version number|packet length too long|http request|unknown protocol/i;

/** @param said the text of OpenSSL or Node.js, whose advice about Node's own options helps nobody here */
export function tlsSentence(server: string, said: string): string {
  if (plainWords.test(said))
    return `The ${server} server does not speak TLS at this port: choose STARTTLS, or its port for TLS.`;
  return `The ${server} server has no certificate that we can trust: ${said.split('; if the root CA')[0]}`;
}

export function tlsFault(server: string, error: Error): ProviderFault {
  const sentence = tlsSentence(server, error.message);
  return new ProviderFault('misconfigured', 'tls' satisfies ServerRefusal, sentence, { cause: error });
}

/** The fields that end in sentences and in the log. */
export function withoutSecret(error: unknown, login: Pick<ServerLogin, 'username' | 'secret'>): unknown {
  if (!(error instanceof Error)) return error;
  const told: { message: string; responseText?: string; response?: unknown } = error;
  told.message = maskSecret(told.message, login);
  if (told.responseText !== undefined) told.responseText = maskSecret(told.responseText, login);
  if (typeof told.response === 'string') told.response = maskSecret(told.response, login);
  return error;
}
