import SMTPConnection from 'nodemailer/lib/smtp-connection';
import XOAuth2 from 'nodemailer/lib/xoauth2';
import type { SendRefusal } from '../transport.ts';
import { maskSecret } from './mask-secret.ts';
import { connectionOf, refusal, type Submission } from './smtp.ts';

/** `bytesMax` is null where the server does not tell. */
export type SubmissionTrial = { capabilities: string[]; bytesMax: number | null };
/** The step that the server refused: the sign-in or anything before it, or the sender. */
type Refused = SendRefusal & { step: 'login' | 'from' };

const timeoutMs = 20_000;
/** A server that keeps talking is not silent. */
const trialMsMax = 60_000;
const senderTrial = 'X-SENDER';

/** Signs in at a submission server, and asks whether an address may send. Sends nothing. */
export async function tryToSubmit(
  server: Submission,
  from: string,
  msMax = trialMsMax,
): Promise<SubmissionTrial | Refused> {
  const seen: SubmissionTrial = { capabilities: [], bytesMax: null };
  const connection = new SMTPConnection({
    ...connectionOf(server),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    customAuth: { [senderTrial]: (context) => trySender(context, { seen, from }) },
  });
  let timer: NodeJS.Timeout | undefined;
  const broken = new Promise<never>((_resolve, reject) => {
    connection.on('error', reject);
    const endless = Object.assign(new Error('The server answers without an end.'), { code: 'ETIMEDOUT' });
    timer = setTimeout(() => reject(endless), msMax);
  });
  const step = (work: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      broken,
      new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve()))),
    ]);
  // A lost race must not end the process.
  broken.catch(() => undefined);
  let at: Refused['step'] = 'login';
  try {
    await step((done) => connection.connect(done));
    await step((done) => connection.login(credentialsOf(server), done));
    at = 'from';
    // The library has a hook for further commands in this place alone.
    await step((done) => connection.login({ method: senderTrial }, done));
    return seen;
  } catch (error) {
    const answer = refusal(error, false);
    const refused = { ...answer, reason: maskSecret(answer.reason, server) };
    // A passing refusal of the sender says nothing.
    if (at === 'from' && !/^5/.test(refused.code)) return seen;
    return { ...refused, step: at };
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}

type Context = SMTPConnection.CustomAuthenticationContext;

async function trySender(
  { extensions, maxAllowedSize, sendCommand }: Context,
  { seen, from }: { seen: SubmissionTrial; from: string },
): Promise<void> {
  seen.capabilities = extensions.toSorted();
  seen.bytesMax = maxAllowedSize === false ? null : maxAllowedSize;
  const { status, response } = await sendCommand(`MAIL FROM:<${from}>`);
  if (status < 500) return;
  throw Object.assign(new Error(response), { responseCode: status });
}

function credentialsOf({ username: user, secret }: Submission): SMTPConnection.AuthenticationType {
  if ('password' in secret) return { user, pass: secret.password };
  return { user, oauth2: new XOAuth2({ user, accessToken: secret.accessToken }) };
}
