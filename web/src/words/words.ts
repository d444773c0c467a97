import type en from './en.json';
import type later from './en-later.json';
import type reports from './en-reports.json';
import type settings from './en-settings.json';

type First = typeof en;
type Later = typeof later;
type Settings = typeof settings;
export type WordKey = keyof First | keyof Later | keyof Settings | keyof typeof reports;

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** A sentence, or its forms by the plural category of the value `count`. */
type Sentence = string | Partial<Record<Intl.LDMLPluralRule, string>>;
type Sentences = Record<string, Sentence>;
type Part = 'first' | 'later' | 'settings' | 'reports';

/**
 * The files of a language. `first` loads before anything is drawn, `later` with the chunks after the first, `settings`
 * with the settings, `reports` with the reports. The API gives its error sentences in English, so the English
 * file has only those that speak to programs.
 */
const files: Record<Language, Record<Part, () => Promise<{ default: Sentences }[]>>> = {
  en: {
    first: () => Promise.all([import('./en.json')]),
    later: () => Promise.all([import('./en-later.json'), import('./en-errors.json')]),
    settings: () => Promise.all([import('./en-settings.json')]),
    reports: () => Promise.all([import('./en-reports.json')]),
  },
  de: {
    first: () => Promise.all([import('./de.json')]),
    later: () => Promise.all([import('./de-later.json'), import('./de-errors.json')]),
    settings: () => Promise.all([import('./de-settings.json')]),
    reports: () => Promise.all([import('./de-reports.json')]),
  },
};

const sentences: Record<Language, Sentences> = { en: {}, de: {} };
const asked = new Set<Part>(['first']);
const listeners = new Set<() => void>();
let spoken = voiceOf('en');
/** The last language that was asked for, which is perhaps still loading. */
let wanted = spoken;
let switching: Promise<void> = Promise.resolve();

/** A language, and its rules for numbers, plurals and sorting. */
function voiceOf(locale: string) {
  return {
    locale,
    language: languageOf(locale) ?? 'en',
    number: new Intl.NumberFormat(locale),
    plural: new Intl.PluralRules(locale),
    order: new Intl.Collator(locale),
  };
}

/** @param locale a BCP 47 tag. Undefined: there are no words in its language. */
export function languageOf(locale: string): Language | undefined {
  return languages.find((language) => language === locale.toLowerCase().split('-')[0]);
}

/** The BCP 47 tag of the words on the screen, by which dates and numbers are written. */
export function spokenLocale(): string {
  return spoken.locale;
}

/** Compares texts by the alphabet of the language. */
export function inOrder(a: string, b: string): number {
  return spoken.order.compare(a, b);
}

/** These values name something, so they have no thousands separator. */
const names = new Set(['number', 'ticketNumber', 'status']);

/** The sentence under a key, with `{name}` replaced by the values. A `count` chooses among plural forms. */
export function words(key: WordKey, values: Record<string, string | number> = {}): string {
  return filled(key, values) ?? key;
}

/** An error of the API in the words of the page, or else of the API, with each field that is wrong. */
export function errorWords({ key, fallbackMessage, params }: WireError): string {
  // The first words already have this one, and a session may end before the others load.
  const name = key.startsWith('auth.token_') ? 'auth.signedOut' : key;
  const users = [params?.rules ?? [], params?.autoReplies ?? []].flat().join(', ');
  const message = (filled(`error.${name}`, {}) ?? fallbackMessage) + (users && ` (${users})`);
  const issues = (params?.issues ?? []) as Issue[];
  return issues.length === 0 ? message : `${message} ${issues.map(issueWords).join('; ')}.`;
}

/** The words of a value, or the value itself if it has none, as an address may name any. */
export function wordsOr(value: string, key: string): string {
  return filled(key, {}) ?? value;
}

type WireError = { key: string; fallbackMessage: string; params?: Record<string, unknown> };

/** Why a mailbox does not work, in a language other than English. */
export function reasonWords(key: string | null): string | undefined {
  return filled(`reason.${key}`, {});
}

/** A sentence of the check of a mailbox, in a language other than English. */
export function checkWords(key: string | null, params: Record<string, string | number> = {}): string | undefined {
  return filled(`check.${key}`, params) ?? reasonWords(key);
}

/** A fault of one field of a request, as the API reports it. */
export type Issue = { path: string; key: string; params: Record<string, string | number>; message: string };

/** Why something is wrong, as the end of a sentence that begins with it. */
export function whyWords({ key, params, message }: Omit<Issue, 'path'>): string {
  return filled(`issue.${key}`, params) ?? message;
}

/** Which field is wrong, and why, in the language of the page. */
export function issueWords({ path, ...issue }: Issue): string {
  const why = whyWords(issue);
  // `body.inboxPaths[Archive]`, `body.tags.0`, and `body` for the whole request.
  const [, place = '', item] = /^\w+(.*?)(?:\[(.*)\])?$/.exec(path) ?? [];
  const name = place.split('.').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? 'request';
  const spaced = name.replace(/(?<=[a-z])[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  const field = `${filled(`field.${name}`, {}) ?? spaced}${item === undefined ? '' : ` ${item}`}`;
  return filled('faultOfField', { field, why }) ?? `${field} ${why}`;
}

/** Such a name would turn the words around it about, so a sentence isolates it. */
const rightToLeft = /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}/u;

function filled(key: string, values: Record<string, string | number>): string | undefined {
  const found = sentences[spoken.language][key];
  const sentence =
    typeof found === 'object' ? (found[spoken.plural.select(Number(values.count))] ?? found.other) : found;
  return sentence?.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? whole;
    if (typeof value === 'string' && rightToLeft.test(value)) return `\u2068${value}\u2069`;
    return typeof value === 'string' || names.has(name) ? String(value) : spoken.number.format(value);
  });
}

async function load(language: Language, part: Part): Promise<void> {
  for (const { default: found } of await files[language][part]()) Object.assign(sentences[language], found);
}

/** Loads a part of the words. Each chunk waits for its words before it draws. */
export async function loadWords(part: Part): Promise<void> {
  asked.add(part);
  await Promise.allSettled([load(wanted.language, part), switching]);
  // Costs nothing unless the language could not be changed: modules are read once.
  await load(spoken.language, part);
}

/** Loads all parts that were asked for in the language of a BCP 47 tag, then changes to it. */
export function speak(locale: string): Promise<void> {
  const next = voiceOf(locale);
  wanted = next;
  switching = Promise.all([...asked].map((part) => load(next.language, part))).then(
    () => {
      // A later choice wins.
      if (wanted !== next) return;
      spoken = next;
      for (const listener of listeners) listener();
    },
    (error: unknown) => {
      if (wanted === next) wanted = spoken;
      throw error;
    },
  );
  return switching;
}

export function followLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
