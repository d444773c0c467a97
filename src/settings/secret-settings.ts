import { keptSecret, secretBytesMin } from './kept-secret.ts';
import type { SettingsReader } from './settings-reader.ts';

export type Secrets = {
  /** Signs access tokens. */
  authSecret: Uint8Array;
  /** Seal what is kept secret in tables: the first seals, all of them open. */
  encryptionKeys: Uint8Array[];
};

/**
 * @param isShared whether other processes use the same database: then the secrets must be given, to be the same for all
 * @returns the secrets, to be called once all settings were found good: what was not given is made and kept in the data folder
 */
export function readSecrets(read: SettingsReader, { isShared }: { isShared: boolean }): (dataDir: string) => Secrets {
  const authSecret = read.text('AUTH_SECRET');
  if (authSecret !== undefined && Buffer.byteLength(authSecret) < secretBytesMin)
    read.faults.push(`AUTH_SECRET: at least ${secretBytesMin} bytes are needed`);
  if (authSecret === undefined && isShared) read.faults.push('AUTH_SECRET: required with DATABASE_URL');
  const encryptionKeys = read.list('ENCRYPTION_KEY', []);
  if (encryptionKeys.some((key) => Buffer.byteLength(key) < secretBytesMin))
    read.faults.push(`ENCRYPTION_KEY: at least ${secretBytesMin} bytes are needed, of each`);
  if (encryptionKeys.length === 0 && isShared) read.faults.push('ENCRYPTION_KEY: required with DATABASE_URL');
  return (dataDir) => ({
    authSecret: authSecret ? Buffer.from(authSecret) : keptSecret(dataDir, 'auth-secret'),
    encryptionKeys:
      encryptionKeys.length > 0
        ? encryptionKeys.map((key) => Buffer.from(key))
        : [keptSecret(dataDir, 'encryption-key')],
  });
}
