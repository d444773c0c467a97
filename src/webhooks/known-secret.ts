import { createHash, timingSafeEqual } from 'node:crypto';
import { webhookSecretCharactersMax } from '../platform/mailbox-settings.ts';

/**
 * Tells our secrets from other values in a time that says nothing of how near a guess came. Without a secret everything is
 * taken for it.
 */
export function secretJudge(secrets: readonly string[]): (given: unknown) => boolean {
  if (secrets.length === 0) return () => true;
  const digests = secrets.map(digestOf);
  return (given) => {
    // Strangers send what they like: what no secret is as long as is not read.
    if (typeof given !== 'string' || given.length > webhookSecretCharactersMax) return false;
    const digest = digestOf(given);
    // All are compared, so that neither does the time tell which one it is.
    return digests.map((known) => timingSafeEqual(known, digest)).includes(true);
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
