import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps secrets in tables so that whoever has the tables alone has nothing. */
export type Seal = {
  /** @param context whose secret it is; it opens in no other place */
  seal(secret: Uint8Array, context: string): string;
  /** Throws when it was sealed with a key that is not here, for another context, or was altered. */
  open(sealed: string, context: string): Uint8Array;
  /** The names of the keys that are here, the one that seals first. */
  keyIds: readonly string[];
  /** Whether an older key than the first sealed it: seal it anew while it is open, so that the older one can go. */
  isOutdated(sealed: string): boolean;
};

const format = 'v1';
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM (NIST SP 800-38D). What is sealed names its key, so that keys can be changed: the first seals, all of them open.
 * @param keys of ENCRYPTION_KEY; at least one, each of any length that is hard to guess
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
      if (key === undefined) throw new Error(`no key of ENCRYPTION_KEY opens what was sealed with ${version}.${id}`);
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]);
    },
  };
}

/** 256 bits of a setting of any length, and a name that tells nothing of them. */
function derive(secret: Uint8Array): { id: string; key: Buffer } {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'kontor seal v1', 32));
  return { id: createHash('sha256').update('kontor seal id').update(key).digest('hex').slice(0, 8), key };
}
