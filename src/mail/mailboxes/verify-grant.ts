import { isEmailAddress } from '../../ground/http/schema.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { IssueKey } from '../../ground/lib/issues.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type {
  AfterIntake,
  ListedFolders,
  MailboxProfile,
  OAuthProvider,
  PasswordProvider,
  ProviderAccount,
  SentCopyWay,
  ServerFolders,
  TokenSet,
} from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readAliases } from './addresses.ts';
import type { SavedServer } from './servers/servers.ts';

/** Verified credentials, with the mailbox that they open. */
export type Grant = MailboxProfile & {
  tokens: TokenSet & { refreshToken: string };
  /** Null when the provider refuses to list them. */
  aliases: string[] | null;
};

/** Verified access to a mailbox. */
export type MailboxAccess = Omit<Grant, 'tokens'> & { tokens: Grant['tokens'] | null; server?: SavedServer };

type ServerChoices = {
  inboxPaths?: string[] | undefined;
  sentPath?: string | undefined;
  sentCopy?: SentCopyWay | undefined;
  afterIntake?: AfterIntake['afterIntake'] | undefined;
  movePath?: string | null | undefined;
};
/** What holds where a request names nothing else. Folders only while the server has them. */
type FormerChoices = ServerChoices & { inboxPaths: string[] };

/** Tries the servers of a mailbox. Throws as `asGrantFault`, and 400 for a folder that the server does not have. */
export async function verifyServers(
  provider: PasswordProvider,
  login: Omit<SavedServer, keyof ServerFolders | keyof AfterIntake | 'sentCopy' | 'sentCopyLearned'>,
  {
    getTokens,
    former,
    ...given
  }: ServerChoices & { former?: FormerChoices | undefined; getTokens?: () => Promise<Grant['tokens']> },
): Promise<MailboxAccess> {
  const { sentCopy = 'auto', afterIntake = 'leave', movePath = null } = { ...former, ...given };
  try {
    const tokens = (await getTokens?.()) ?? null;
    const secret = 'password' in login.secret ? login.secret : { accessToken: tokens?.accessToken ?? '' };
    const found = await provider.probe({ ...login, secret });
    const chosen = { ...foldersOf(found, { former, given }), afterIntake, movePath };
    refuseChoice(found, chosen);
    const server = { ...login, ...chosen, sentCopy, sentCopyLearned: null };
    return { address: login.address, userId: null, delegateAddress: null, aliases: null, tokens, server };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    throw notAuthorized(error.code, error.message, error);
  }
}

function foldersOf(
  found: ServerFolders & ListedFolders,
  { former, given }: { former: FormerChoices | undefined; given: ServerChoices },
): ServerFolders {
  const isThere = (path: string) => found.folders.some((folder) => folder.path === path);
  const inboxes = given.inboxPaths ?? former?.inboxPaths.filter(isThere) ?? [];
  const formerSent = former?.sentPath !== undefined && isThere(former.sentPath) ? former.sentPath : undefined;
  return {
    inboxPaths: inboxes.length > 0 ? inboxes : found.inboxPaths,
    sentPath: given.sentPath ?? formerSent ?? found.sentPath,
  };
}

/**
 * Throws 400 when the server lacks a chosen folder, the folder of sent mail would be read twice, or mail would be moved
 * to where it is read again.
 */
export function refuseChoice(
  { folders, canMove }: ListedFolders,
  { inboxPaths, sentPath, afterIntake, movePath }: ServerFolders & AfterIntake,
): void {
  const paths = new Set(folders.map(({ path }) => path));
  const missing = inboxPaths.findIndex((path) => !paths.has(path));
  if (missing >= 0) throw invalidRequest({ path: `body.inboxPaths[${missing}]`, key: 'no_folder' });
  if (sentPath != null && !paths.has(sentPath)) throw invalidRequest({ path: 'body.sentPath', key: 'no_folder' });
  const twice = sentPath == null ? -1 : inboxPaths.indexOf(sentPath);
  if (twice >= 0) throw invalidRequest({ path: `body.inboxPaths[${twice}]`, key: 'folder_is_read' });
  if (afterIntake !== 'move') return;
  if (!canMove) throw invalidRequest({ path: 'body.afterIntake', key: 'cannot_move' });
  const refuseMove = (key: IssueKey) => invalidRequest({ path: 'body.movePath', key });
  if (movePath === null) throw refuseMove('required');
  if (!paths.has(movePath)) throw refuseMove('no_folder');
  if (movePath === sentPath || inboxPaths.includes(movePath)) throw refuseMove('folder_is_read');
}

/** The mailbox to connect: that of the consenting account, whose address is `address`, or a shared mailbox. */
export type Meant = { address: string | undefined; sharedAddress: string | undefined };

/** Tries a refresh token. Throws 400 when `address` is not the account's, and as `asGrantFault`. */
export async function verifyRefreshToken(
  provider: OAuthProvider,
  { refreshToken, address, sharedAddress }: Meant & { refreshToken: string; address: string },
): Promise<Grant> {
  try {
    const tokens = await provider.refresh(refreshToken, { isShared: sharedAddress !== undefined });
    const lasting = { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    const grant = await grantOf(provider, lasting, sharedAddress);
    if (caseKey(consentedBy(grant)) === caseKey(address)) return grant;
  } catch (error) {
    throw asGrantFault(error);
  }
  throw invalidRequest({ path: 'body.address', key: 'other_account' });
}

/** Redeems a consent. Throws as `asGrantFault`. */
export async function verifyConsent(
  provider: OAuthProvider,
  { address, sharedAddress, ...grant }: Meant & { code: string; codeVerifier: string; redirectUri: string },
): Promise<Grant> {
  try {
    const tokens = await provider.redeemCode({ ...grant, isShared: sharedAddress !== undefined });
    const { refreshToken } = tokens;
    if (refreshToken === null) throw notAuthorized('no_refresh_token', 'The provider gave no lasting access.');
    const verified = await grantOf(provider, { ...tokens, refreshToken }, sharedAddress);
    const given = consentedBy(verified);
    if (address === undefined || caseKey(given) === caseKey(address)) return verified;
    throw notAuthorized('other_mailbox', `Access was given by ${given}, not by ${address}.`);
  } catch (error) {
    throw asGrantFault(error);
  }
}

function consentedBy({ address, delegateAddress }: Grant): string {
  return delegateAddress ?? address;
}

async function grantOf(
  provider: OAuthProvider,
  tokens: Grant['tokens'],
  sharedAddress: string | undefined,
): Promise<Grant> {
  const account = openGranted(provider, tokens, sharedAddress);
  const profile = await account.profile();
  // The address goes into the header of each answer and identifies the mailbox.
  if (!isEmailAddress(profile.address))
    throw new ProviderFault('refused', 'no_address', 'The provider names no usable address of the mailbox.');
  return { tokens, ...profile, aliases: await readAliases(account, profile) };
}

/** Opens a mailbox with credentials that are not saved yet. */
export function openGranted(
  provider: OAuthProvider,
  tokens: Grant['tokens'],
  sharedAddress: string | undefined,
): ProviderAccount {
  const access = {
    token: async () => tokens.accessToken,
    renew: async () => {
      throw new ProviderFault('unauthorized', 'refused', 'The provider refuses the token that it has just issued.');
    },
  };
  return provider.openAccount(access, sharedAddress);
}

/**
 * Turns a provider's fault into the error for the person who connects a mailbox: 400 with the `reason`, or 503 for a
 * temporary fault.
 */
function asGrantFault(error: unknown): unknown {
  if (!(error instanceof ProviderFault)) return error;
  const { kind, code, message, retryAfterMs } = error;
  if (kind === 'throttled' || kind === 'unavailable') {
    const seconds = Math.ceil((retryAfterMs ?? 5_000) / 1000);
    return new AppError('unavailable', {}, { cause: error, headers: { 'retry-after': String(seconds) } });
  }
  if (kind === 'misconfigured')
    return new AppError('mailbox.provider_not_configured', { code, reason: message }, { cause: error });
  return notAuthorized(code, message, error);
}

function notAuthorized(code: string, reason: string, cause?: unknown): AppError {
  return new AppError('mailbox.not_authorized', { code, reason }, { cause });
}
