import { Decrypter, Encrypter } from 'age-encryption';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { StartError } from '../../ground/lib/start-error.ts';

const secretsSchema = Type.Object({
  authSecret: Type.String(),
  encryptionKeys: Type.Array(Type.String(), { minItems: 1 }),
});
/** As `AUTH_SECRET` and `ENCRYPTION_KEY` have them. */
export type KeptSecrets = Static<typeof secretsSchema>;

/** Encrypts with a passphrase in the format of `age`, whose command line opens it too. */
export async function sealSecrets(secrets: KeptSecrets, passphrase: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(JSON.stringify(secrets));
}

/** Throws a `StartError` when the passphrase does not open the secrets. */
export async function openSecrets(sealed: Uint8Array, passphrase: string): Promise<KeptSecrets> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const text = await decrypter.decrypt(sealed, 'text').catch((cause: unknown) => {
    throw new StartError('BACKUP_PASSPHRASE does not open the secrets of the backup.', { cause });
  });
  const secrets: unknown = JSON.parse(text);
  if (Check(secretsSchema, secrets)) return secrets;
  throw new StartError('The secrets of the backup are not those of Kontor.');
}
