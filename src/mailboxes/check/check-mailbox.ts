import type { MailboxKey } from '../../catalog/jobs.ts';
import { AppError } from '../../lib/errors.ts';
import { type MailProvider, ProviderFault } from '../../mail/provider.ts';
import { traitsOf } from '../../mail/providers/registry.ts';
import type { Config } from '../../settings/config.ts';
import { freshAccess } from '../credentials.ts';
import { type AccountParts, openAccount } from '../open-account.ts';
import { findMailbox, getMailbox, type Mailbox } from '../queries.ts';
import type { MailboxView } from '../schema.ts';
import { testServers } from '../servers/ask-servers.ts';
import { tryWatching } from '../watch-mailbox.ts';
import { hintOf, type StepName, steps } from './hints.ts';
import { reachPublicAddress } from './public-address.ts';

/** `ok` is null if the step was not tried, or cannot be tried with this mailbox. */
export type CheckedStep = { name: StepName; ok: boolean | null; detail: string; hint: string | null };

type Outcome = Omit<CheckedStep, 'name' | 'hint'> & { hint?: string | null };
type Parts = AccountParts & { config: Config };
type Subject = { app: Parts; mailbox: Mailbox; view: MailboxView; provider: MailProvider; stepMsMax: number };
type Checked = Subject & { signal: AbortSignal };

/** The limit of one step. Four steps wait for other servers, so that a check takes about half a minute at most. */
const usualStepMsMax = 8_000;
const dayMs = 86_400_000;

/**
 * Tries everything that a mailbox needs, one step after the other, and tells what helps. Renews the access, makes
 * missing watches, and changes nothing else. Throws 404.
 */
export async function checkMailbox(
  app: Parts,
  key: MailboxKey,
  { stepMsMax = usualStepMsMax }: { stepMsMax?: number } = {},
): Promise<CheckedStep[]> {
  const [mailbox, view] = [await findMailbox(app.db, key), await getMailbox(app.db, key)];
  if (mailbox === undefined) throw new AppError('mailbox.not_found');
  const provider = app.providers[mailbox.provider];
  const checked: CheckedStep[] = [];
  for (const name of steps) {
    const failed = checked.find((step) => step.ok === false && blockedBy[name].includes(step.name));
    const outcome =
      failed === undefined
        ? await tryStep({ app, mailbox, view, provider, stepMsMax }, name)
        : { ok: null, detail: notTried[failed.name] ?? 'Not tried.' };
    checked.push({ hint: null, ...outcome, name });
  }
  return checked;
}

const blockedBy: Record<StepName, readonly StepName[]> = {
  token: [],
  read: ['token'],
  send: ['token'],
  watch: ['token', 'read'],
  push: ['watch'],
};
const notTried: Partial<Record<StepName, string>> = {
  token: 'Not tried, because the provider gave no access.',
  read: 'Not tried, because the mailbox could not be read.',
  watch: 'Not tried, because the provider has no order to notify.',
};

const tries: Record<StepName, (checked: Checked) => Outcome | Promise<Outcome>> = {
  token: tryToken,
  read: tryRead,
  send: trySend,
  watch: tryWatch,
  push: tryPush,
};

async function tryStep(subject: Subject, name: StepName): Promise<Outcome> {
  const { stepMsMax } = subject;
  const signal = AbortSignal.timeout(stepMsMax);
  const work = Promise.resolve(tries[name]({ ...subject, signal }));
  // Work that lost the race against its limit ends by itself.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, expiryOf(signal, stepMsMax)]);
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { ok: false, detail: error.message, hint: hintOf(name, error) };
  }
}

function expiryOf(signal: AbortSignal, stepMsMax: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const seconds = stepMsMax / 1000;
  const late = () => reject(new ProviderFault('unavailable', 'timeout', `There was no answer within ${seconds} s.`));
  signal.addEventListener('abort', late, { once: true });
  return promise;
}

/** Renews the access, since a saved access token may outlive the consent by an hour. */
async function tryToken({ app, mailbox, provider, signal }: Checked): Promise<Outcome> {
  if (provider.auth === 'password') {
    const { address } = await openAccount(app, mailbox, signal).profile();
    return { ok: true, detail: `The server lets ${address} sign in.` };
  }
  let kept: string | undefined;
  const isNew = ({ token }: { token: string }) => {
    kept ??= token;
    return token !== kept;
  };
  await freshAccess({ ...app, provider, signal }, mailbox, isNew);
  return { ok: true, detail: `${productOf(mailbox)} renewed the access.` };
}

/** Enough for the sent folder and the inbox of most mailboxes. */
const readPagesMax = 4;

async function tryRead({ app, mailbox, signal }: Checked): Promise<Outcome> {
  const account = openAccount(app, mailbox, signal);
  const { address } = await account.profile();
  const since = new Date(app.clock.now().getTime() - dayMs);
  let mails = 0;
  let page: string | null = '';
  for (let pages = 0; page !== null && pages < readPagesMax; pages++) {
    const listed: Awaited<ReturnType<typeof account.history>> = await account.history(since, page);
    mails += listed.found.length;
    page = listed.next;
  }
  const count = `${page === null ? '' : 'at least '}${mails}`;
  const detail = `The mailbox of ${address} can be read. Mails of the last day: ${count}.`;
  if (mailbox.status === 'paused')
    return { ok: true, detail, hint: 'The mailbox is paused: resume it to fetch its mail.' };
  return { ok: true, detail, hint: mailbox.status === 'active' ? null : 'Resume the mailbox to fetch its mail now.' };
}

/** Sends nothing. The renewed access covers sending, or the provider's refusal would have ended the first step. */
async function trySend({ app, mailbox, view, provider }: Checked): Promise<Outcome> {
  if (provider.auth === 'password') return trySubmission(app, mailbox);
  if (view.sendStatus === 'error')
    return {
      ok: false,
      detail: view.sendStatusReason ?? 'The provider refuses the answers of this mailbox.',
      hint: 'Free the mailbox at its provider. Then resume it here, or retry an answer.',
    };
  if (mailbox.isSendRefused)
    return {
      ok: false,
      detail: 'The provider refused the last answer.',
      hint: 'Kontor tries it again. Look at the answer for the reason of the provider.',
    };
  return { ok: true, detail: 'The consent covers sending, and the provider refuses no answers.' };
}

/** A server that takes the sender's address makes the mailbox's send status active again. */
async function trySubmission(app: Parts, { workspaceId, id: mailboxId }: Mailbox): Promise<Outcome> {
  const smtp = (await testServers(app, { workspaceId, mailboxId })).find(({ end }) => end === 'smtp');
  if (smtp === undefined) return { ok: null, detail: 'Not tried, because the provider gave no access.' };
  if (smtp.fault !== null) throw smtp.fault;
  return { ok: true, detail: 'The SMTP server lets the account send from this address.' };
}

async function tryWatch({ app, mailbox, signal }: Checked): Promise<Outcome> {
  const account = openAccount(app, mailbox, signal);
  if (account.watchKeys.length === 0)
    return { ok: null, detail: 'The provider does not notify of this mailbox. Kontor looks every three minutes.' };
  if (mailbox.status !== 'active') return { ok: null, detail: 'Not tried, because the mailbox is not active.' };
  await tryWatching(app, mailbox, account);
  const { watches } = await getMailbox(app.db, { workspaceId: mailbox.workspaceId, mailboxId: mailbox.id });
  const endsAt = Math.min(...watches.map(({ expiresAt }) => Date.parse(expiresAt)));
  const left = spanWords(endsAt - app.clock.now().getTime());
  return { ok: true, detail: `${productOf(mailbox)} is to notify of new mail for ${left}, and Kontor renews this.` };
}

async function tryPush({ app, mailbox, view, signal }: Checked): Promise<Outcome> {
  if (openAccount(app, mailbox).watchKeys.length === 0)
    return { ok: null, detail: 'The provider does not notify of this mailbox.' };
  await reachPublicAddress(app.config.publicUrl, signal);
  if (mailbox.status === 'active' && view.statusReason !== null)
    return { ok: false, detail: view.statusReason, hint: hintOf('push', undefined) };
  return { ok: true, detail: `Notifications reach this service at ${app.config.publicUrl}.` };
}

/** A span of time in its largest unit, rounded down. */
function spanWords(ms: number): string {
  const units = [
    ['day', dayMs],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const;
  for (const [unit, unitMs] of units) {
    const count = Math.floor(ms / unitMs);
    if (count > 0) return `another ${count === 1 ? unit : `${count} ${unit}s`}`;
  }
  return 'less than a minute';
}

function productOf({ provider }: Mailbox): string {
  return traitsOf(provider).product;
}
