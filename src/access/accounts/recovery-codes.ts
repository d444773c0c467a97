import { randomBytes } from 'node:crypto';
import { Secret } from 'otpauth';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { hashOfToken } from './secret-token.ts';

const codesCount = 10;
/** 120 bits. From 112 bits on a fast hash is enough (OWASP ASVS 5.0, 6.5.2). */
const codeBytes = 15;

/** Replaces all recovery codes. The new codes are shown once: the table keeps only hashes. */
export async function replaceRecoveryCodes(tx: Tx, userId: UserId): Promise<string[]> {
  const codes = Array.from({ length: codesCount }, newRecoveryCode);
  const hashes = codes.map((code) => hashOfToken(plainCode(code)));
  await together([
    tx.run(sql`delete from recovery_codes where user_id = ${userId}`),
    tx.run(sql`
      insert into recovery_codes (user_id, code_hash)
      select ${userId}::uuid, hash from unnest(${hashes}::bytea[]) hash`),
  ]);
  return codes;
}

/** @returns whether the code was valid and unused. Of two concurrent uses one succeeds. */
export async function spendRecoveryCode(tx: Tx, { userId, code }: { userId: UserId; code: string }): Promise<boolean> {
  const spent = await tx.run(sql`
    update recovery_codes set used_at = ${tx.now}
    where user_id = ${userId} and code_hash = ${hashOfToken(plainCode(code))} and used_at is null`);
  return spent > 0;
}

/** Normalises a typed code for comparison: `abcdef-ghijkl …` becomes `ABCDEFGHIJKL…`. */
export function plainCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase();
}

function newRecoveryCode(): string {
  const { base32 } = new Secret({ buffer: Uint8Array.from(randomBytes(codeBytes)).buffer });
  return (base32.toLowerCase().match(/.{6}/g) ?? []).join('-');
}
