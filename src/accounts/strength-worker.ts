import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';

/** The thread of `password-strength.ts`: one password in, its strength out. */
const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  translations: english.translations,
  // A hundred, as it comes, take ten times as long and change no score of a password that people type.
  l33tMaxSubstitutions: 10,
});

parentPort?.on('message', ({ password, about }: { password: string; about: string[] }) => {
  const { score, feedback } = zxcvbn.check(password, about);
  parentPort?.postMessage({ score, warning: feedback.warning, suggestions: feedback.suggestions });
});
