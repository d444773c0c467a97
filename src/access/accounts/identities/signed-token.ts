import { compactVerify, errors } from 'jose';
import { type Claims, headerFault, isKeyFor, type Refusal } from './identity-claims.ts';
import type { KeySet, SigningKey } from './key-set.ts';

export type Judgement = { ok: true; claims: Claims } | { ok: false; reason: Refusal };

/**
 * Checks a token's header, claims and then its signature. Looks a key up only when all but the signature is right.
 * @param faultOf why to refuse these claims; undefined when they are acceptable
 * Throws `unavailable` while the provider's keys are out of reach.
 */
export async function judgeToken(
  token: string,
  keys: KeySet,
  faultOf: (claims: Claims) => Refusal | undefined,
): Promise<Judgement> {
  const parts = partsOf(token);
  if (parts === undefined) return { ok: false, reason: 'malformed' };
  const { header, claims } = parts;
  const fault = headerFault(header) ?? faultOf(claims);
  if (fault !== undefined) return { ok: false, reason: fault };
  const published = await keys.find(String(header.kid)); // `headerFault` has checked that `kid` is text.
  const fitting = published.filter(({ issuer }) => isKeyFor(issuer, claims));
  if (fitting.length === 0) return { ok: false, reason: 'key' };
  for (const key of fitting) {
    if (await isSignedWith(token, key)) return { ok: true, claims };
  }
  return { ok: false, reason: 'signature' };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts only a signed token in compact form (RFC 7515 §7.1). An encrypted token has five parts. */
function partsOf(token: string): { header: Claims; claims: Claims } | undefined {
  const parts = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(token);
  const [header, claims] = [parts?.[1], parts?.[2]].map((part) => (part === undefined ? undefined : objectOf(part)));
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

function objectOf(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

async function isSignedWith(token: string, { key }: SigningKey): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['RS256'] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
