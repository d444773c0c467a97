import { domainToASCII } from 'node:url';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

/**
 * Whether only a server with SMTPUTF8 (RFC 6531) may get this address. A domain alone has another form in ASCII, which
 * nodemailer sends.
 */
export function needsSmtpUtf8(address: string): boolean {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return !isAscii(address.slice(0, at + 1)) || (!isAscii(domain) && domainToASCII(domain) === '');
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

const lookAtExtensions = 'X-EXTENSIONS';

/** Asks a server on a connection of its own, because the pool does not tell what its connections offer. */
export async function offersSmtpUtf8(server: SMTPConnection.Options, signal: AbortSignal): Promise<boolean> {
  let isOffered = false;
  const connection = new SMTPConnection({
    ...server,
    // The library has a hook that sees the extensions in this place alone. It signs in nowhere.
    customAuth: {
      [lookAtExtensions]: ({ extensions, resolve }) => {
        isOffered = extensions.includes('SMTPUTF8');
        resolve();
      },
    },
  });
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  const onAbort = () => over.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  connection.on('error', over.reject);
  const step = (work: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      over.promise,
      new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve()))),
    ]);
  try {
    signal.throwIfAborted();
    await step((done) => connection.connect(done));
    await step((done) => connection.login({ method: lookAtExtensions }, done));
    return isOffered;
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection.close();
  }
}
