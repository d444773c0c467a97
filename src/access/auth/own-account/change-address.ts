import type { App } from '../../../app.ts';
import type { Principal } from '../../../ground/catalog/actor.ts';
import { together } from '../../../ground/database/db.ts';
import { rateLimited } from '../../../ground/lib/errors.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { changeEmail } from '../../accounts/change-email.ts';
import { holdSelf, type OwnPassword, proveSelf } from '../../accounts/prove-password.ts';
import { claimTurn } from '../../accounts/throttle.ts';
import { auditAccount } from '../../audit/audit.ts';
import { tellWorkspacesOfMember } from '../tell-of-member.ts';

const everySeconds = 60;

/**
 * Mails a link to the address that a user wants. The address changes once the link is followed. The answer is the same
 * when another account has the address. Throws 401 `auth.invalid_credentials` or 429 for the password, and 429 for a
 * second mail within a minute.
 */
export async function askForAddress(app: App, principal: Principal, input: OwnPassword & { email: string }) {
  const { email, ...own } = input;
  const account = await proveSelf(app, principal, own);
  const { userId, sessionId } = principal;
  await app.db.tx(async (tx) => {
    await holdSelf(tx, principal, account);
    const waitSeconds = await claimTurn(tx, { action: 'change-email', subject: userId, everySeconds });
    if (waitSeconds > 0) throw rateLimited({ name: 'address-mails', max: 1, windowSeconds: everySeconds }, waitSeconds);
    await enqueue(tx, 'system-mail.send', { kind: 'change-email', userId, sessionId, email });
  });
}

/** Confirms a new address by its mailed link, signed in or not. Notifies the old address. Throws as `changeEmail`. */
export async function confirmAddress(app: App, token: string): Promise<void> {
  const { userId } = await app.db.tx(async (tx) => {
    const change = await changeEmail(tx, token);
    const { userId, from, to } = change;
    await together([
      auditAccount(tx, { type: 'email.changed', userId, data: { from, to } }),
      enqueue(tx, 'system-mail.send', { kind: 'email-changed', userId, email: from }),
    ]);
    return change;
  });
  await tellWorkspacesOfMember(app, userId);
}
