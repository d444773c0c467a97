import type { App } from '../../../app.ts';
import type { Principal } from '../../../ground/catalog/actor.ts';
import { together } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { findLink, linkIdentity, lockIdentity, unlinkIdentity } from '../../accounts/identities/link-identity.ts';
import { listOwnIdentities } from '../../accounts/identities/own-identities.ts';
import { holdSelf, type OwnPassword, proveSelf } from '../../accounts/prove-password.ts';
import type { OwnIdentity } from '../../accounts/schema.ts';
import { auditAccount } from '../../audit/audit.ts';

export type LinkOwn = OwnPassword & { provider: string; idToken: string; nonce: string | undefined };

/**
 * Links an identity to the user's own account. The addresses may differ, since the user has proven both. Throws as
 * `proveSelf`, as a sign-in with the token would, and 409 `auth.identity_taken` when another account has the identity.
 */
export async function linkOwnIdentity(app: App, principal: Principal, input: LinkOwn): Promise<OwnIdentity[]> {
  const account = await proveSelf(app, principal, input);
  const { id: userId } = account;
  const identity = await app.identities.verify(input.provider, input);
  return app.db.tx(async (tx) => {
    await holdSelf(tx, principal, account);
    await lockIdentity(tx, identity);
    const known = await findLink(tx, identity);
    if (!(await linkIdentity(tx, identity, userId))) throw new AppError('auth.identity_taken');
    if (known === undefined) {
      const { provider } = identity;
      await together([
        auditAccount(tx, { type: 'identity.linked', userId, data: { provider } }),
        enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'identity-linked' }),
      ]);
    }
    return listOwnIdentities(tx, userId);
  });
}

export type UnlinkOwn = OwnPassword & { identityId: string };

/** Unlinks an identity from the user's own account. Throws as `proveSelf`, and 404 `identity.not_found`. */
export async function unlinkOwnIdentity(app: App, principal: Principal, input: UnlinkOwn): Promise<void> {
  const account = await proveSelf(app, principal, input);
  const { id: userId } = account;
  await app.db.tx(async (tx) => {
    await holdSelf(tx, principal, account);
    const provider = await unlinkIdentity(tx, { userId, identityId: input.identityId });
    if (provider === undefined) throw new AppError('identity.not_found');
    await together([
      auditAccount(tx, { type: 'identity.unlinked', userId, data: { provider } }),
      enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'identity-unlinked' }),
    ]);
  });
}
