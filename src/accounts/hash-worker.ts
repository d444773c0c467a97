import { hashSync, type Options, verifySync } from '@node-rs/argon2';

/** A password, and the hash that it is compared with or the parameters that it is to be hashed by. */
export type HashQuestion = { password: string } & ({ options: Options } | { storedHash: string });

export function answer(question: HashQuestion): string | boolean {
  return 'options' in question
    ? hashSync(question.password, question.options)
    : verifySync(question.storedHash, question.password);
}
