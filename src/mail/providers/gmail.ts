import type { Access, OAuthProvider, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { changesSince, mailSince } from './gmail-changes.ts';
import { fetchMail, goneAsUndefined, messagePath } from './gmail-mail.ts';
import { type AskGmail, gmailRequests, listOf, textOf } from './gmail-request.ts';
import { findSentMail, sendMail } from './gmail-send.ts';
import { stopWatching, watchKey, watchMailbox } from './gmail-watch.ts';
import { openOAuthClient } from './oauth-client.ts';
import { providerKeys, traitsOf } from './registry.ts';

export type GmailOptions = {
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
};

const scopePrefix = 'https://www.googleapis.com/auth/gmail.';
/** This scope allows reading and sending. With two scopes, people could untick one of them. */
const scopeAsked = `${scopePrefix}modify`;

/** Opens Gmail through its API, with the answers, labels and limits that Google documents. */
export function openGmail({ apiUrl, tokenUrl, authorizeUrl, client }: GmailOptions): OAuthProvider {
  const closing = new AbortController();
  const oauth = openOAuthClient({
    provider: 'Gmail',
    tokenUrl,
    authorizeUrl,
    client,
    scopes: [scopeAsked],
    isEnough,
    // Without these, Google issues no refresh token to a person who consents again.
    consentParameters: { access_type: 'offline', prompt: 'consent' },
    refreshNamesScopes: false,
    explain: explainRefusal,
    signal: closing.signal,
  });
  return {
    ...traitsOf(providerKeys.gmail),
    ...oauth,
    consentUrl: (consent) => {
      const url = new URL(oauth.consentUrl(consent));
      // People who connect a mailbox are often signed in to their own account, and Google might use it without asking.
      if (consent.loginHint === undefined) url.searchParams.set('prompt', 'select_account consent');
      return url.href;
    },
    // Administrators of Google Workspace approve applications in Google's admin console.
    adminConsentUrl: () => null,
    openAccount: (access: Access) => openAccount(gmailRequests({ apiUrl, access, closing: closing.signal })),
    close: async () => closing.abort(),
  };
}

/** Tokens that were created by hand may have a wider scope, or two scopes instead of this scope. */
function isEnough(scopes: readonly string[]): boolean {
  const granted = new Set(scopes);
  return (
    granted.has(scopeAsked) ||
    granted.has('https://mail.google.com/') ||
    (granted.has(`${scopePrefix}readonly`) && granted.has(`${scopePrefix}send`))
  );
}

/** Recognises Google's own error codes for a refusal that an administrator of the organisation can lift. */
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
      // An unconfirmed address may belong to anybody.
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
    // A new watch lasts another week, even if the old watch has already ended.
    renewWatch: (_watch, target) => watchMailbox(ask, target),
    stopWatch: () => stopWatching(ask),
    send: (mail, steps) => sendMail(ask, mail, steps),
    fileCopy: async () => true,
    findSent: (mail) => findSentMail(ask, mail),
  };
}

function required(value: unknown): string {
  const text = textOf(value);
  if (text === null)
    throw new ProviderFault('unavailable', 'no_profile', 'Gmail answered without the mailbox’s profile.');
  return text;
}
