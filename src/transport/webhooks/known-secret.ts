import { createHash, timingSafeEqual } from 'node:crypto';
import { webhookSecretCharactersMax } from '../../ground/settings/mailbox-settings.ts';

/** Compares with our secrets in constant time. */
export function secretJudge(secrets: readonly string[]): (given: unknown) => boolean {
  const digests = secrets.map(digestOf);
  return (given) => {
    // A stranger's value may be of any length and type.
    if (typeof given !== 'string' || given.length > webhookSecretCharactersMax) return false;
    const digest = digestOf(given);
    // Compares with every secret, so that timing does not reveal which one matches.
    return digests.map((known) => timingSafeEqual(known, digest)).includes(true);
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
