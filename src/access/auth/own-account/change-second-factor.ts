import type { App } from '../../../app.ts';
import type { Principal } from '../../../ground/catalog/actor.ts';
import { together } from '../../../ground/database/db.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { dropChallenges } from '../../accounts/challenge.ts';
import { endSessions } from '../../accounts/end-session.ts';
import { holdSelf, type OwnPassword, proveSelf } from '../../accounts/prove-password.ts';
import { replaceRecoveryCodes } from '../../accounts/recovery-codes.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  type Enrolment,
  removeSecondFactor,
} from '../../accounts/second-factor.ts';
import { auditAccount } from '../../audit/audit.ts';
import { withOwnCode } from './own-code.ts';

export async function setUpSecondFactor(app: App, principal: Principal, own: OwnPassword): Promise<Enrolment> {
  const account = await proveSelf(app, principal, own);
  const { id: userId, email } = account;
  return app.db.tx(async (tx) => {
    await holdSelf(tx, principal, account);
    return beginSecondFactor(tx, app.seal, { userId, email });
  });
}

/** Requires a code for each sign-in from now on. Ends the other sessions, which were opened without a code. */
export function switchOnSecondFactor(app: App, principal: Principal, own: { code: string; ip: string }) {
  const { userId, sessionId } = principal;
  return withOwnCode(app, principal, { ...own, factor: 'begun' }, async (tx) => {
    const [recoveryCodes] = await together([
      replaceRecoveryCodes(tx, userId),
      confirmSecondFactor(tx, { userId, sessionId }),
      endSessions(tx, { userId, except: sessionId }),
      auditAccount(tx, { type: 'second_factor.enabled', userId, data: {} }),
      enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'second-factor-on' }),
    ]);
    return { recoveryCodes };
  });
}

type OwnProof = OwnPassword & { code: string };

export async function switchOffSecondFactor(app: App, principal: Principal, { code, ...own }: OwnProof): Promise<void> {
  await proveSelf(app, principal, own);
  const { userId } = principal;
  await withOwnCode(app, principal, { code, ip: own.ip, factor: 'confirmed' }, (tx) =>
    together([
      removeSecondFactor(tx, userId),
      dropChallenges(tx, userId),
      auditAccount(tx, { type: 'second_factor.disabled', userId, data: {} }),
      enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'second-factor-off' }),
    ]),
  );
}

export async function renewRecoveryCodes(app: App, principal: Principal, { code, ...own }: OwnProof) {
  await proveSelf(app, principal, own);
  const { userId } = principal;
  return withOwnCode(app, principal, { code, ip: own.ip, factor: 'confirmed' }, async (tx) => {
    const [recoveryCodes] = await together([
      replaceRecoveryCodes(tx, userId),
      auditAccount(tx, { type: 'second_factor.recovery_codes_renewed', userId, data: {} }),
      enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'recovery-codes' }),
    ]);
    return { recoveryCodes };
  });
}
