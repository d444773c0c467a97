import { createHash, randomBytes } from 'node:crypto';
import { hashOfToken, newSecretToken } from '../../access/accounts/secret-token.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { foldTags } from '../../ground/lib/fold-tags.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import type { OAuthProvider } from '../provider.ts';
import { checkDefaultAssignee } from './default-assignee.ts';
import { type ConnectOptions, type ReturnPlace, returnPlaces } from './schema.ts';

const consentSeconds = 600;
const verifierBytes = 32;

export type BeginConsent = {
  provider: OAuthProvider;
  redirectUri: string;
  address: string | undefined;
  /** The address of a shared mailbox to which the account that consents has rights. */
  sharedAddress: string | undefined;
  options: ConnectOptions;
  /** Where in the web inbox it began. */
  returnTo: ReturnPlace | undefined;
};

export type ConsentBegun = {
  consentUrl: string;
  adminConsentUrl: string | null;
  expiresAt: string;
  /** Identifies the browser that began when it returns. */
  cookie: { name: string; value: string; maxAgeSeconds: number };
};

/**
 * Begins a consent at the provider (RFC 6749 §4.1), which is valid once and for ten minutes. The database keeps only
 * hashes of the state and the cookie. The code verifier (RFC 7636) stays on the server.
 */
export async function beginConsent(
  tx: Tx,
  seal: Seal,
  { workspaceId, userId }: Actor,
  { provider, redirectUri, address, sharedAddress, options, returnTo }: BeginConsent,
): Promise<ConsentBegun> {
  await checkDefaultAssignee(tx, workspaceId, options.defaultAssigneeId);
  foldTags(options.defaultTags ?? [], 'body.defaultTags');
  const { token: state, tokenHash: stateHash } = newSecretToken();
  const { token: browser, tokenHash: browserHash } = newSecretToken();
  const codeVerifier = randomBytes(verifierBytes).toString('base64url');
  const expiresAt = new Date(tx.now.getTime() + consentSeconds * 1000);
  await tx.run(sql`
    insert into mailbox_consents (state_hash, workspace_id, user_id, provider, code_verifier, browser_hash, options,
      expires_at)
    values (${stateHash}, ${workspaceId}, ${userId}, ${provider.key},
      ${seal.seal(Buffer.from(codeVerifier), verifierContext(stateHash))}, ${browserHash},
      ${JSON.stringify({ ...options, address, sharedAddress })}, ${expiresAt})`);
  const isShared = sharedAddress !== undefined;
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  return {
    consentUrl: provider.consentUrl({
      redirectUri,
      state,
      codeChallenge,
      isShared,
      ...(address === undefined ? {} : { loginHint: address }),
    }),
    adminConsentUrl: provider.adminConsentUrl({ redirectUri, state: approvalState, isShared }),
    expiresAt: expiresAt.toISOString(),
    cookie: { name: cookieNameOf(state), value: cookieValue({ browser, returnTo }), maxAgeSeconds: consentSeconds },
  };
}

/**
 * The state in the link for administrators. Another person opens it in another browser, perhaps days later. So it
 * holds nothing of a consent, and its return changes nothing here.
 */
const approvalState = 'approval';

export const verifierContext = (stateHash: Buffer): string => `mailbox-consent:${stateHash.toString('hex')}`;

/** Each consent has its own cookie, so that two consents in one browser do not overwrite each other. */
export const cookieNameOf = (state: string): string =>
  `kontor_consent_${hashOfToken(state).toString('hex').slice(0, 16)}`;

/** The browser's proof, and where it returns to, even when nothing else is known of a failed consent. */
export type ConsentCookie = { browser: string; returnTo: ReturnPlace | undefined };

function cookieValue({ browser, returnTo }: ConsentCookie): string {
  return returnTo === undefined ? browser : `${browser}.${returnTo}`;
}

export function readConsentCookie(value: string | undefined): ConsentCookie | undefined {
  if (value === undefined) return undefined;
  const [browser = '', place] = value.split('.');
  return { browser, returnTo: returnPlaces.find((known) => known === place) };
}
