import { type Access, type MailProvider, type ProviderAccount, ProviderFault } from '../provider.ts';
import { changesSince, mailSince } from './gmail-changes.ts';
import { fetchMail, goneAsUndefined, messagePath } from './gmail-mail.ts';
import { type AskGmail, gmailRequests, listOf, textOf } from './gmail-request.ts';
import { findSentMail, sendMail } from './gmail-send.ts';
import { stopWatching, watchKey, watchMailbox } from './gmail-watch.ts';
import { openOAuthClient } from './oauth-client.ts';

export type GmailOptions = {
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
};

const scopePrefix = 'https://www.googleapis.com/auth/gmail.';
/** Reads and sends; people see one permission to grant, not two of which they may untick one. */
const scopeAsked = `${scopePrefix}modify`;

/** Gmail through its API: its answers, labels and limits as Google documents them. */
export function openGmail({ apiUrl, tokenUrl, authorizeUrl, client }: GmailOptions): MailProvider {
  const closing = new AbortController();
  const oauth = openOAuthClient({
    provider: 'Gmail',
    tokenUrl,
    authorizeUrl,
    client,
    scopes: [scopeAsked],
    isEnough,
    // Else Google gives no refresh token to whoever consents a second time.
    consentParameters: { access_type: 'offline', prompt: 'consent' },
    refreshNamesScopes: false,
    explain: explainRefusal,
    signal: closing.signal,
  });
  return {
    name: 'mail-b',
    ...oauth,
    consentUrl: (consent) => {
      const url = new URL(oauth.consentUrl(consent));
      // Whoever connects a mailbox is mostly signed in with an account of their own, which might be taken unasked.
      if (consent.loginHint === undefined) url.searchParams.set('prompt', 'select_account consent');
      return url.href;
    },
    // Administrators of Google Workspace approve applications in their own console.
    adminConsentUrl: () => null,
    openAccount: (access: Access) => openAccount(gmailRequests({ apiUrl, access, closing: closing.signal })),
    close: async () => closing.abort(),
  };
}

/** Tokens that were made by hand may hold more than is asked for here, or two scopes in its place. */
function isEnough(scopes: readonly string[]): boolean {
  const granted = new Set(scopes);
  return (
    granted.has(scopeAsked) ||
    granted.has('https://mail.google.com/') ||
    (granted.has(`${scopePrefix}readonly`) && granted.has(`${scopePrefix}send`))
  );
}

/** Google's own names: what an administrator of the mailbox's organisation has to allow. */
function explainRefusal(body: Record<string, unknown>): { kind?: 'forbidden'; sentence?: string } {
  const { error } = body;
  if (error !== 'admin_policy_enforced' && error !== 'org_internal') return {};
  return {
    kind: 'forbidden',
    sentence: `The administrator of this mailbox’s Google Workspace does not allow our application (${error}).`,
  };
}

function openAccount(ask: AskGmail): ProviderAccount {
  const profile = () => ask({ path: '/gmail/v1/users/me/profile' });
  return {
    profile: async () => ({
      address: required((await profile()).emailAddress),
      userId: null,
      delegateAddress: null,
    }),
    aliases: async () => {
      const { sendAs } = await ask({ path: '/gmail/v1/users/me/settings/sendAs' });
      // An address that is not confirmed yet may belong to anybody.
      const confirmed = listOf(sendAs).filter(({ verificationStatus }) => verificationStatus !== 'pending');
      return confirmed.flatMap(({ sendAsEmail }) => textOf(sendAsEmail) ?? []);
    },
    holds: async (providerId) =>
      (await ask({ path: messagePath(providerId), query: [['format', 'minimal']] }).catch(goneAsUndefined)) !==
      undefined,
    anchor: async () => required((await profile()).historyId),
    changes: (cursor) => changesSince(ask, cursor),
    history: (since, page, options) => mailSince(ask, { since, page, ...options }),
    fetch: (found) => fetchMail(ask, found),
    watchKeys: [watchKey],
    watch: (_key, target) => watchMailbox(ask, target),
    // Watching again lasts another week, whether or not the old watch still lived.
    renewWatch: (_watch, target) => watchMailbox(ask, target),
    stopWatch: () => stopWatching(ask),
    send: (mail, steps) => sendMail(ask, mail, steps),
    findSent: (mail) => findSentMail(ask, mail),
  };
}

function required(value: unknown): string {
  const text = textOf(value);
  if (text === null)
    throw new ProviderFault('unavailable', 'no_profile', 'Gmail answered without the mailbox’s profile.');
  return text;
}
