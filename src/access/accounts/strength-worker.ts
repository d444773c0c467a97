import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import type { PasswordStrength } from './schema.ts';

export type StrengthQuestion = { password: string; about: string[] };

const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  translations: english.translations,
  // The default of 100 takes ten times as long and changes no score of passwords that people type.
  l33tMaxSubstitutions: 10,
});

export function answer({ password, about }: StrengthQuestion): PasswordStrength {
  const { score, feedback } = zxcvbn.check(password, about);
  return { score, warning: feedback.warning, suggestions: feedback.suggestions };
}
