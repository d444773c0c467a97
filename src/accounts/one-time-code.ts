import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** As every authenticator app has it: SHA-1, 6 digits, 30 s (RFC 6238; the key of 160 bits is RFC 4226 §4's advice). */
const secretBytes = 20;
/** Clocks differ and people type slowly: the code before and the one after are taken too (RFC 6238 §5.2). */
const stepsAside = 1;

const issuer = 'Kontor';

export function newCodeSecret(): Uint8Array {
  return randomBytes(secretBytes);
}

/** How the secret goes into an authenticator app: as base32 to type, as a URI for a QR code. */
export function enrolmentOf(secret: Uint8Array, email: string): { secret: string; otpauthUri: string } {
  const totp = totpOf(secret, email);
  return { secret: totp.secret.base32, otpauthUri: totp.toString() };
}

/** @returns the time step that the code is of, or undefined when it is of none near to now */
export function stepOfCode(secret: Uint8Array, code: string, now: Date): number | undefined {
  const totp = totpOf(secret);
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window: stepsAside });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

function totpOf(secret: Uint8Array, label = ''): TOTP {
  // A copy: the bytes of a small Buffer lie in a pool that others share.
  return new TOTP({ issuer, label, secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) });
}
