import { createECDH } from 'node:crypto';
import type { Db } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import type { Seal } from '../../../ground/platform/seal.ts';

/** The key pair by which push services know this installation (VAPID, RFC 8292), in base64url. */
export type PushKeys = { publicKey: string; privateKey: string };

const context = 'web push';

/**
 * Reads the keys, or makes the first. Keys that ENCRYPTION_KEY does not open stay: new ones would end all
 * subscriptions, and another process may have the key that sealed them.
 * @returns undefined if ENCRYPTION_KEY does not open them
 */
export async function readPushKeys(db: Db, seal: Seal, log: Logger): Promise<PushKeys | undefined> {
  const { kept } = await db.one<{ kept: string | null }>(sql`select push_key as kept from installation`);
  const key = kept === null ? newKey() : openedBy(seal, kept, log);
  if (key === undefined) return undefined;
  if (kept !== null && !seal.isOutdated(kept)) return keysOf(key);
  const sealed = seal.seal(key, context);
  const isOurs = await db.tx((tx) =>
    tx.run(sql`update installation set push_key = ${sealed} where push_key is not distinct from ${kept}::text`),
  );
  // Another process was faster.
  return isOurs === 1 ? keysOf(key) : readPushKeys(db, seal, log);
}

function openedBy(seal: Seal, kept: string, log: Logger): Uint8Array | undefined {
  try {
    return seal.open(kept, context);
  } catch (error) {
    log.error({ err: error }, 'the key of push messages could not be opened: nothing is pushed');
    return undefined;
  }
}

function newKey(): Uint8Array {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  // Node leaves out zeros at the beginning.
  return Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32);
}

function keysOf(key: Uint8Array): PushKeys {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(key);
  return { publicKey: pair.getPublicKey('base64url'), privateKey: Buffer.from(key).toString('base64url') };
}
