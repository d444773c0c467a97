import { hashSync, type Options, verifySync } from '@node-rs/argon2';

/** A password, with either the hash to compare it with or the parameters to hash it by. */
export type HashQuestion = { password: string } & ({ options: Options } | { storedHash: string });

export function answer(question: HashQuestion): string | boolean {
  return 'options' in question
    ? hashSync(question.password, question.options)
    : verifySync(question.storedHash, question.password);
}
