import { keptSecret, secretBytesMin } from './kept-secret.ts';
import type { SettingsReader } from './settings-reader.ts';

export type Secrets = {
  /** Signs access tokens. */
  authSecret: Uint8Array;
  /** Encrypt secrets in tables. The first key encrypts, and every key decrypts. */
  encryptionKeys: Uint8Array[];
};

/**
 * @param isShared whether other processes may use the database: the settings must then give the same secrets to all
 * @returns a function to call once all settings are valid. Missing secrets are made, and kept in the data folder, when
 * they are first used: commands that need none leave no trace
 */
export function readSecrets(read: SettingsReader, { isShared }: { isShared: boolean }): (dataDir: string) => Secrets {
  const authSecret = read.text('AUTH_SECRET');
  if (authSecret !== undefined && Buffer.byteLength(authSecret) < secretBytesMin)
    read.faults.push(`AUTH_SECRET: at least ${secretBytesMin} bytes are needed`);
  if (authSecret === undefined && isShared) read.faults.push('AUTH_SECRET: required with DATABASE_URL');
  const encryptionKeys = read.list('ENCRYPTION_KEY', []);
  if (encryptionKeys.some((key) => Buffer.byteLength(key) < secretBytesMin))
    read.faults.push(`ENCRYPTION_KEY: at least ${secretBytesMin} bytes are needed for each key`);
  if (encryptionKeys.length === 0 && isShared) read.faults.push('ENCRYPTION_KEY: required with DATABASE_URL');
  return (dataDir) => {
    let auth: Uint8Array | undefined = authSecret ? Buffer.from(authSecret) : undefined;
    let keys: Uint8Array[] | undefined =
      encryptionKeys.length > 0 ? encryptionKeys.map((key) => Buffer.from(key)) : undefined;
    return {
      get authSecret() {
        auth ??= keptSecret(dataDir, 'auth-secret');
        return auth;
      },
      get encryptionKeys() {
        keys ??= [keptSecret(dataDir, 'encryption-key')];
        return keys;
      },
    };
  };
}
