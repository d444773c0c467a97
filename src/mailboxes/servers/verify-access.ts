import type { Queryable } from '../../database/db.ts';
import { invalidRequest } from '../../lib/errors.ts';
import type { WorkspaceId } from '../../lib/ids.ts';
import type { Providers } from '../../mail/provider.ts';
import type { MailboxSettings } from '../../settings/mailbox-settings.ts';
import { configuredProvider } from '../configured-provider.ts';
import { findFormer } from '../find-former.ts';
import type { ConnectMailboxBody } from '../schema.ts';
import { type MailboxAccess, verifyRefreshToken, verifyServers } from '../verify-grant.ts';

type Parts = { db: Queryable; config: MailboxSettings; providers: Providers };

/** Tries the access that a request gives. Throws 400 when it gives too little, or the provider refuses it. */
export async function verifyAccess(
  app: Parts,
  workspaceId: WorkspaceId,
  body: ConnectMailboxBody,
): Promise<{ grant: MailboxAccess; formerId: string | null }> {
  const { provider: key, address, sharedAddress } = body;
  if (key === 'imap') {
    const login = {
      address,
      imap: required(body, 'imap'),
      smtp: required(body, 'smtp'),
      username: body.username ?? address,
      password: required(body, 'password'),
    };
    return { grant: await verifyServers(app.providers[key], login, body), formerId: null };
  }
  const refreshToken = required(body, 'refreshToken');
  const provider = configuredProvider(app, { provider: key, ...(sharedAddress !== undefined && { sharedAddress }) });
  const grant = await verifyRefreshToken(provider, { refreshToken, address, sharedAddress });
  return { grant, formerId: await findFormer(app.db, workspaceId, { provider, grant }) };
}

function required<Key extends keyof ConnectMailboxBody>(
  body: ConnectMailboxBody,
  name: Key,
): NonNullable<ConnectMailboxBody[Key]> {
  const value = body[name];
  if (value === undefined || value === null) throw invalidRequest({ path: `body.${name}`, message: 'is required' });
  return value;
}
