import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** 160 bits, as RFC 4226 §4 recommends. Every authenticator app supports SHA-1, 6 digits and 30 s (RFC 6238). */
const secretBytes = 20;
/** Accepts the previous and the next code too: clocks differ and people type slowly (RFC 6238 §5.2). */
const stepsAside = 1;

const issuer = 'Kontor';

export function newCodeSecret(): Uint8Array {
  return randomBytes(secretBytes);
}

/** The secret for an authenticator app: as base32 to type, and as a URI for a QR code. */
export function enrolmentOf(secret: Uint8Array, email: string): { secret: string; otpauthUri: string } {
  const totp = totpOf(secret, email);
  return { secret: totp.secret.base32, otpauthUri: totp.toString() };
}

/** @returns the time step that the code belongs to; undefined when no step near now has this code */
export function stepOfCode(secret: Uint8Array, code: string, now: Date): number | undefined {
  const totp = totpOf(secret);
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window: stepsAside });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

function totpOf(secret: Uint8Array, label = ''): TOTP {
  // Copies the bytes: a small Buffer is a slice of a pool that other Buffers share.
  return new TOTP({ issuer, label, secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) });
}
