import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeWhole } from '../lib/durable-file.ts';

const validYears = 20;

/**
 * The path of a PEM file with a key and its self-signed certificate, generated once and kept in the data folder.
 * Mail servers with opportunistic encryption (RFC 7435) accept any certificate. A key of our own keeps others from
 * decrypting.
 * @param host the name in the certificate
 */
export async function keptCertificate(dataDir: string, { name, host }: { name: string; host: string }) {
  const path = join(dataDir, name);
  if (existsSync(path)) return path;
  // A dynamic import, because the package is needed once and would slow down every start.
  const { generate } = await import('selfsigned');
  const notAfterDate = new Date();
  notAfterDate.setFullYear(notAfterDate.getFullYear() + validYears);
  const made = await generate([{ name: 'commonName', value: host }], { keyType: 'ec', notAfterDate });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeWhole(path, Buffer.from(`${made.private.trim()}\n${made.cert.trim()}\n`), { mode: 0o600 });
  await syncFolder(dataDir);
  return path;
}
