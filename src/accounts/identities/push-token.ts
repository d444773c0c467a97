import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { caseKey } from '../../lib/text.ts';
import type { Logger } from '../../platform/log.ts';
import type { MailboxSettings } from '../../settings/mailbox-settings.ts';
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

/** A signature costs more to check than all else that a push asks for; a key that is withdrawn is found out hourly at best. */
const rememberedMs = 60_000;
/** One is in use at a time, of each subscription that pushes to us. */
const rememberedMax = 100;

/** Verifies the tokens with which Pub/Sub signs its pushes (OpenID Connect identity tokens of a service account). */
export function openPushTokens(push: PushSettings, { clock, log }: { clock: Clock; log: Logger }): PushTokens {
  const keys = openKeySet({ jwksUri: push.jwksUri }, { clock, log });
  /** Tokens that were good a short while ago. */
  const good = new Map<string, { claims: Claims; seenAt: number }>();
  const isKnown = (token: string, now: Date): boolean => {
    const known = good.get(token);
    const age = now.getTime() - (known?.seenAt ?? Number.NEGATIVE_INFINITY);
    return known !== undefined && age < rememberedMs && pushFault(known.claims, push, now) === undefined;
  };
  return {
    verify: async (token) => {
      const now = clock.now();
      if (isKnown(token, now)) return;
      const judged = await judgeToken(token, keys, (claims) => pushFault(claims, push, now));
      if (!judged.ok) {
        log.info({ reason: judged.reason }, 'a push of mail-b was refused');
        throw new AppError('webhook.unverified');
      }
      if (good.size >= rememberedMax) good.clear();
      good.set(token, { claims: judged.claims, seenAt: now.getTime() });
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
