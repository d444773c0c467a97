import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets in tables, so that a copy of the tables alone reveals none. */
export type Seal = {
  /** @param context names the owner of the secret: the same context is needed to open it */
  seal(secret: Uint8Array, context: string): string;
  /** Throws when the key is not configured, the context differs, or the sealed text was altered. */
  open(sealed: string, context: string): Uint8Array;
  /** The ids of the configured keys. The first key seals. */
  keyIds: readonly string[];
  /**
   * Whether a key other than the first sealed the text. Seal such a secret again, so that the old key can be removed.
   */
  isOutdated(sealed: string): boolean;
};

const format = 'v1';
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM (NIST SP 800-38D). A sealed text names its key, so that keys can be rotated: the first key seals, and
 * every key opens.
 * @param keys one key or more of ENCRYPTION_KEY, each long enough to be hard to guess
 */
export function openSeal(keys: readonly Uint8Array[]): Seal {
  const ring = keys.map(derive);
  const [first] = ring;
  if (first === undefined) throw new Error('a seal needs a key');
  return {
    keyIds: ring.map(({ id }) => id),
    isOutdated: (sealed) => sealed.split('.')[1] !== first.id,
    seal: (secret, context) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', first.key, iv).setAAD(Buffer.from(context));
      const bytes = Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
      return `${format}.${first.id}.${bytes.toString('base64url')}`;
    },
    open: (sealed, context) => {
      const [version, id, text = ''] = sealed.split('.');
      const key = version === format ? ring.find((known) => known.id === id)?.key : undefined;
      if (key === undefined) throw new Error(`no key of ENCRYPTION_KEY opens a secret sealed with ${version}.${id}`);
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]);
    },
  };
}

/** Derives a 256-bit key from a setting of any length, and an id that reveals nothing about the key. */
function derive(secret: Uint8Array): { id: string; key: Buffer } {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'kontor seal v1', 32));
  return { id: createHash('sha256').update('kontor seal id').update(key).digest('hex').slice(0, 8), key };
}
