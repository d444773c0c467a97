import type { Db } from '../../../ground/database/db.ts';
import type { Clock } from '../../../ground/lib/clock.ts';
import { invalidRequest } from '../../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import type { PublicWeb } from '../../../ground/platform/public-web.ts';
import type { MailboxSettings } from '../../../ground/settings/mailbox-settings.ts';
import type { Providers } from '../../provider.ts';
import { configuredProvider } from '../configured-provider.ts';
import { findFormer } from '../find-former.ts';
import type { ConnectMailboxBody } from '../schema.ts';
import { type Grant, type MailboxAccess, verifyRefreshToken, verifyServers } from '../verify-grant.ts';
import { findSaved, type SavedServer } from './servers.ts';
import { countSignIn } from './sign-ins.ts';
import { tokenEndpoint } from './token-endpoint.ts';

type VerifyParts = { db: Db; clock: Clock; config: MailboxSettings; providers: Providers; publicWeb: PublicWeb };

/** Tries the access that a request gives. Throws 400 when it gives too little, or the provider refuses it. */
export async function verifyAccess(
  app: VerifyParts,
  workspaceId: WorkspaceId,
  body: ConnectMailboxBody,
): Promise<{ grant: MailboxAccess; formerId: string | null }> {
  const { provider: key, address, sharedAddress } = body;
  if (key === 'imap') {
    const former = await findSaved(app.db, workspaceId, address);
    const { getTokens, secret } = secretOf(app, body);
    const server = {
      address,
      imap: former?.imap ?? required(body, 'imap'),
      smtp: former?.smtp ?? required(body, 'smtp'),
      username: former?.username ?? address,
      ...given(body, ['imap', 'smtp', 'username']),
      secret,
    };
    const choices = {
      former: former?.choices,
      ...given(body, ['inboxPaths', 'sentPath', 'sentCopy', 'afterIntake', 'movePath']),
      ...(getTokens && { getTokens }),
    };
    const verify = () => verifyServers(app.providers[key], server, choices);
    return { grant: await countSignIn(app, { workspaceId, ...server }, verify), formerId: null };
  }
  const refreshToken = required(body, 'refreshToken');
  const provider = configuredProvider(app, { provider: key, ...(sharedAddress !== undefined && { sharedAddress }) });
  const grant = await verifyRefreshToken(provider, { refreshToken, address, sharedAddress });
  return { grant, formerId: await findFormer(app.db, workspaceId, { provider, grant }) };
}

/** The fields that a request names. The others stay as they were. */
function given<Key extends keyof ConnectMailboxBody>(
  body: ConnectMailboxBody,
  names: readonly Key[],
): { [Name in Key]?: NonNullable<ConnectMailboxBody[Name]> } {
  return Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]))) as {
    [Name in Key]?: NonNullable<ConnectMailboxBody[Name]>;
  };
}

type Secret = { secret: SavedServer['secret']; getTokens?: () => Promise<Grant['tokens']> };

/** A password, or the tokens for XOAUTH2. */
function secretOf({ publicWeb }: VerifyParts, body: ConnectMailboxBody): Secret {
  const { oauth } = body;
  if (oauth === undefined) return { secret: { password: required(body, 'password') } };
  const refreshToken = required(body, 'refreshToken');
  const { tokenUrl, clientId, clientSecret = null, scope = null } = oauth;
  const grant = { tokenUrl, clientId, clientSecret, scope };
  const getTokens = async () => {
    const tokens = await tokenEndpoint(grant, publicWeb).refresh(refreshToken);
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  };
  return { secret: { grant }, getTokens };
}

function required<Key extends keyof ConnectMailboxBody>(
  body: ConnectMailboxBody,
  name: Key,
): NonNullable<ConnectMailboxBody[Key]> {
  const value = body[name];
  if (value === undefined || value === null) throw invalidRequest({ path: `body.${name}`, key: 'required' });
  return value;
}
