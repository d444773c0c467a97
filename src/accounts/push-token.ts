import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { caseKey } from '../lib/text.ts';
import type { Logger } from '../platform/log.ts';
import type { MailboxSettings } from '../platform/mailbox-settings.ts';
import { type Claims, isInTime, issuerOf, type Refusal } from './identity-claims.ts';
import { openKeySet } from './key-set.ts';
import { judgeToken } from './signed-token.ts';

type PushSettings = MailboxSettings['mailB']['push'];

export type PushTokens = {
  /**
   * That a push comes from whom the settings name. The same token comes with many pushes, for as long as it lives.
   * Throws `webhook.unverified`, or `unavailable` while the issuer's keys are out of reach.
   */
  verify(token: string): Promise<void>;
  close(): Promise<void>;
};

/** Verifies the tokens with which Pub/Sub signs its pushes (OpenID Connect identity tokens of a service account). */
export function openPushTokens(push: PushSettings, { clock, log }: { clock: Clock; log: Logger }): PushTokens {
  const keys = openKeySet({ jwksUri: push.jwksUri }, { clock, log });
  return {
    verify: async (token) => {
      const judged = await judgeToken(token, keys, (claims) => pushFault(claims, push, clock.now()));
      if (judged.ok) return;
      log.info({ reason: judged.reason }, 'a push of mail-b was refused');
      throw new AppError('webhook.unverified');
    },
    close: () => keys.close(),
  };
}

/**
 * The signature and the audience alone prove little: Google signs tokens for any audience to whoever has a project there. The
 * address of the service account is what tells our subscription from another's.
 */
function pushFault(claims: Claims, { audience, issuer, serviceAccount }: PushSettings, now: Date): Refusal | undefined {
  const expectedIssuer = issuerOf({ iss: issuer });
  if (issuerOf(claims) !== expectedIssuer) return 'issuer';
  if (claims.aud !== audience) return 'audience';
  if (!isInTime(claims, now.getTime() / 1000)) return 'time';
  if (serviceAccount === undefined) return undefined;
  const isVerified = claims.email_verified === true || claims.email_verified === 'true';
  const isAccount = typeof claims.email === 'string' && caseKey(claims.email) === caseKey(serviceAccount);
  return isVerified && isAccount ? undefined : 'account';
}
