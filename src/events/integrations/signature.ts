import { createHmac, randomBytes } from 'node:crypto';

/** Secrets and signatures of the Standard Webhooks scheme (https://www.standardwebhooks.com, 1.0). */

const prefix = 'whsec_';
const secretBytes = 32;

export function newSigningKey(): Buffer {
  return randomBytes(secretBytes);
}

/** The key in the form that the receiver gets. */
export function secretOf(key: Uint8Array): string {
  return `${prefix}${Buffer.from(key).toString('base64')}`;
}

export type Signed = { id: string; at: Date; body: string };

/**
 * The headers of a delivery, with one signature per key. A receiver that knows any of the keys accepts the delivery.
 */
export function signatureHeaders({ id, at, body }: Signed, keys: readonly Uint8Array[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
