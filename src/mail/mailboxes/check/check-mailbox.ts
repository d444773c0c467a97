import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { Config } from '../../../ground/settings/config.ts';
import type { MailProvider } from '../../provider.ts';
import { ProviderFault } from '../../provider-fault.ts';
import type { ReasonKey } from '../../providers/mailbox-reasons.ts';
import { traitsOf } from '../../providers/registry.ts';
import { freshAccess } from '../credentials.ts';
import { type AccountParts, openAccount } from '../open-account.ts';
import { findMailbox, getMailbox, type Mailbox } from '../queries.ts';
import type { MailboxView } from '../schema.ts';
import { testServers } from '../servers/ask-servers.ts';
import { serverAccess } from '../servers/servers.ts';
import { countSignIn } from '../servers/sign-ins.ts';
import { tryWatching } from '../watch-mailbox.ts';
import { hintOf, type StepName, steps } from './hints.ts';
import { reachPublicAddress } from './public-address.ts';
import { type Sentence, say, sayFault } from './sentences.ts';

/** `ok` is null if the step was not tried, or cannot be tried with this mailbox. */
export type CheckedStep = { name: StepName; ok: boolean | null; detail: Sentence; hint: Sentence | null };

type Outcome = Omit<CheckedStep, 'name' | 'hint'> & { hint?: Sentence | null };
type CheckParts = AccountParts & { config: Config };
type Subject = { app: CheckParts; mailbox: Mailbox; view: MailboxView; provider: MailProvider; stepMsMax: number };
type Checked = Subject & { signal: AbortSignal };

/** The limit of one step. Four steps wait for other servers, so that a check takes about half a minute at most. */
const usualStepMsMax = 8_000;
const dayMs = 86_400_000;

/**
 * Tries everything that a mailbox needs, one step after the other, and tells what helps. Renews the access, makes
 * missing watches, and changes nothing else. Throws 404.
 */
export async function checkMailbox(
  app: CheckParts,
  key: MailboxKey,
  { stepMsMax = usualStepMsMax }: { stepMsMax?: number } = {},
): Promise<CheckedStep[]> {
  const [mailbox, view] = [await findMailbox(app.db, key), await getMailbox(app.db, key)];
  if (mailbox === undefined) throw new AppError('mailbox.not_found');
  const provider = app.providers[mailbox.provider];
  const checked: CheckedStep[] = [];
  for (const name of steps) {
    const failed = blockedBy[name].find((other) => checked.some((step) => step.name === other && step.ok === false));
    const outcome =
      failed === undefined
        ? await tryStep({ app, mailbox, view, provider, stepMsMax }, name)
        : { ok: null, detail: notTried[failed] };
    checked.push({ hint: null, ...outcome, name });
  }
  return checked;
}

/** The steps whose failure keeps other steps from a try. */
type Blocking = 'token' | 'read' | 'watch';

const blockedBy: Record<StepName, readonly Blocking[]> = {
  token: [],
  read: ['token'],
  send: ['token'],
  watch: ['token', 'read'],
  push: ['watch'],
};
const notTried: Record<Blocking, Sentence> = {
  token: say('no_access'),
  read: say('unreadable'),
  watch: say('not_ordered'),
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
    if (error instanceof AppError && error.key === 'mailbox.sign_in_paused')
      return { ok: false, detail: say('sign_in_paused') };
    if (!(error instanceof ProviderFault)) throw error;
    const detail = name === 'push' ? say('not_reached', { said: error.message }) : sayFault(error);
    return { ok: false, detail, hint: hintOf(name, error) };
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
    const { workspaceId } = mailbox;
    const server = await serverAccess(app, mailbox, signal).server();
    const signIn = () => openAccount(app, mailbox, signal).profile();
    const { address } = await countSignIn(app, { workspaceId, ...server }, signIn);
    return { ok: true, detail: say('signed_in', { address }) };
  }
  let kept: string | undefined;
  const isNew = ({ token }: { token: string }) => {
    kept ??= token;
    return token !== kept;
  };
  await freshAccess({ ...app, provider, signal }, mailbox, isNew);
  return { ok: true, detail: say('renewed', { product: productOf(mailbox) }) };
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
  const detail = say(page === null ? 'readable' : 'readable_at_least', { address, mails });
  if (mailbox.status === 'paused') return { ok: true, detail, hint: say('resume_paused') };
  return { ok: true, detail, hint: mailbox.status === 'active' ? null : say('resume') };
}

/** Sends nothing. The renewed access covers sending, or the provider's refusal would have ended the first step. */
async function trySend({ app, mailbox, view, provider }: Checked): Promise<Outcome> {
  if (provider.auth === 'password') return trySubmission(app, mailbox);
  if (view.sendStatus === 'error')
    return {
      ok: false,
      detail: sayReason(view.sendStatusReason, view.sendStatusReasonKey) ?? say('answers_refused'),
      hint: say('free_it'),
    };
  if (mailbox.isSendRefused) return { ok: false, detail: say('answer_refused'), hint: say('see_answer') };
  return { ok: true, detail: say('may_send') };
}

/** A server that takes the sender's address makes the mailbox's send status active again. */
async function trySubmission(app: CheckParts, { workspaceId, id: mailboxId }: Mailbox): Promise<Outcome> {
  const smtp = (await testServers(app, { workspaceId, mailboxId })).find(({ end }) => end === 'smtp');
  if (smtp === undefined) return { ok: null, detail: say('no_access') };
  if (smtp.fault !== null) throw smtp.fault;
  return { ok: true, detail: say('may_submit') };
}

async function tryWatch({ app, mailbox, signal }: Checked): Promise<Outcome> {
  const account = openAccount(app, mailbox, signal);
  if (account.watchKeys.length === 0) return { ok: null, detail: say('looks_itself') };
  if (mailbox.status !== 'active') return { ok: null, detail: say('not_active') };
  await tryWatching(app, mailbox, account);
  const { watches } = await getMailbox(app.db, { workspaceId: mailbox.workspaceId, mailboxId: mailbox.id });
  const endsAt = Math.min(...watches.map(({ expiresAt }) => Date.parse(expiresAt)));
  const left = spanWords(endsAt - app.clock.now().getTime());
  return { ok: true, detail: say('watched', { product: productOf(mailbox), left }) };
}

async function tryPush({ app, mailbox, view, signal }: Checked): Promise<Outcome> {
  if (openAccount(app, mailbox).watchKeys.length === 0) return { ok: null, detail: say('no_notifications') };
  await reachPublicAddress(app.config.publicUrl, signal);
  const reason = sayReason(view.statusReason, view.statusReasonKey);
  if (mailbox.status === 'active' && reason !== undefined)
    return { ok: false, detail: reason, hint: hintOf('push', undefined) };
  return { ok: true, detail: say('reached', { url: app.config.publicUrl }) };
}

function sayReason(text: string | null, key: ReasonKey | null): Sentence | undefined {
  return text === null ? undefined : { text, key, params: {} };
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
