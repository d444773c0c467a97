import type { Clock } from '../../../ground/lib/clock.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import type { MailboxSettings } from '../../../ground/settings/mailbox-settings.ts';
import { type Claims, isInTime, issuerOf, type Refusal } from './identity-claims.ts';
import { openKeySet } from './key-set.ts';
import { judgeToken } from './signed-token.ts';

type PushSettings = MailboxSettings['gmail']['push'];

export type PushTokens = {
  /**
   * Verifies that the service account in the settings sent a push. The same token arrives with many pushes until it
   * expires.
   * Throws `webhook.unverified`, or `unavailable` while the issuer's keys are out of reach.
   */
  verify(token: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * Checking the signature costs more than the rest of a push. A key that the issuer withdraws counts a minute longer,
 * which is little: keys are refreshed hourly.
 */
const rememberedMs = 60_000;
/** Each subscription that pushes to us uses one token at a time. */
const rememberedMax = 100;

/** Verifies the tokens with which Pub/Sub signs its pushes (OpenID Connect identity tokens of a service account). */
export function openPushTokens(push: PushSettings, { clock, log }: { clock: Clock; log: Logger }): PushTokens {
  const keys = openKeySet({ jwksUri: push.jwksUri }, { clock, log });
  const verified = new Map<string, { claims: Claims; seenAt: number }>();
  const isKnown = (token: string, now: Date): boolean => {
    const known = verified.get(token);
    const age = now.getTime() - (known?.seenAt ?? Number.NEGATIVE_INFINITY);
    return known !== undefined && age < rememberedMs && pushFault(known.claims, push, now) === undefined;
  };
  return {
    verify: async (token) => {
      const now = clock.now();
      if (isKnown(token, now)) return;
      const judged = await judgeToken(token, keys, (claims) => pushFault(claims, push, now));
      if (!judged.ok) {
        log.info({ reason: judged.reason }, 'refused a push of mail-b');
        throw new AppError('webhook.unverified');
      }
      if (verified.size >= rememberedMax) verified.clear();
      verified.set(token, { claims: judged.claims, seenAt: now.getTime() });
    },
    close: () => keys.close(),
  };
}

/**
 * The signature and the audience alone prove little: Google signs tokens for any audience for everyone with a project.
 * Only the address of the service account identifies our own subscription.
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
