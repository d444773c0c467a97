import { hashSync, type Options, verifySync } from '@node-rs/argon2';
import { answerQuestions } from '../platform/answer-questions.ts';

/** A password, and the hash that it is compared with or the parameters that it is to be hashed by. */
export type HashQuestion = { password: string } & ({ options: Options } | { storedHash: string });

answerQuestions((question: HashQuestion): string | boolean =>
  'options' in question
    ? hashSync(question.password, question.options)
    : verifySync(question.storedHash, question.password),
);
