import type { Language } from '../../../../ground/lib/language.ts';
import * as english from './english.ts';
import * as german from './german.ts';

export type Letters = typeof english;

/** The mails that the service writes, in each language. */
export const letters: Readonly<Record<Language, Letters>> = { en: english, de: german };
