import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import openApi from '../../openapi.json' with { type: 'json' };
import { auditSubjects } from '../../src/ground/catalog/audit.ts';
import { errorCatalog } from '../../src/ground/lib/error-catalog.ts';
import { issueCatalog } from '../../src/ground/lib/issues.ts';
import { checkCatalog } from '../../src/mail/mailboxes/check/sentences.ts';
import { reasonKeys } from '../../src/mail/providers/mailbox-reasons.ts';
import { germanReasons } from '../../src/transport/mailflow/sending/letters/german-reasons.ts';
import de from '../../web/src/words/de.json' with { type: 'json' };
import deErrors from '../../web/src/words/de-errors.json' with { type: 'json' };
import deLater from '../../web/src/words/de-later.json' with { type: 'json' };
import deReports from '../../web/src/words/de-reports.json' with { type: 'json' };
import deSettings from '../../web/src/words/de-settings.json' with { type: 'json' };
import en from '../../web/src/words/en.json' with { type: 'json' };
import enErrors from '../../web/src/words/en-errors.json' with { type: 'json' };
import later from '../../web/src/words/en-later.json' with { type: 'json' };
import reports from '../../web/src/words/en-reports.json' with { type: 'json' };
import settings from '../../web/src/words/en-settings.json' with { type: 'json' };
import { faultsOf, firstLoad, keysIn, literalTexts, type Sentence } from './web-words.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(path, 'utf8');

test('the first load uses no words that load later', () => {
  const files = firstLoad(join(root, 'web/src/main.tsx'), read);
  expect(files.length).toBeGreaterThan(50);
  // commands.ts has a template for the words of every command. A button that shows such words names its command.
  const early = files
    .filter((path) => !path.endsWith('web/src/commands.ts'))
    .flatMap((path) =>
      keysIn(path, read(path), Object.keys({ ...later, ...settings, ...reports })).map(
        (key) => `${path}: move "${key}" to web/src/words/en.json`,
      ),
    );
  expect(early).toEqual([]);
});

test('only the settings use the words that load with them', () => {
  const files = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (path) => !path.startsWith('web/src/settings/') && !/\.test\.|schema\.d\.ts$/.test(path),
  );
  expect(files.length).toBeGreaterThan(100);
  const misplaced = files.flatMap((path) =>
    keysIn(path, read(join(root, path)), Object.keys(settings)).map(
      (key) => `${path}: move "${key}" to web/src/words/en-later.json`,
    ),
  );
  expect(misplaced).toEqual([]);
});

test('every word is used', () => {
  const keys = Object.keys({ ...en, ...later, ...settings, ...reports });
  const files = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (path) => !/\.test\.|schema\.d\.ts$/.test(path),
  );
  const used = new Set(files.flatMap((path) => keysIn(path, read(join(root, path)), keys)));
  expect(keys.filter((key) => !used.has(key))).toEqual([]);
});

test('components have no text of their own', () => {
  const components = globSync('web/src/**/*.tsx', { cwd: root }).filter((path) => !path.includes('.test.'));
  const texts = components.flatMap((path) =>
    literalTexts(path, read(join(root, path)))
      .filter((text) => text !== 'https://')
      .map((text) => `${path}: move "${text}" to web/src/words/`),
  );
  expect(texts).toEqual([]);
});

test('keys are written as the platform writes them', () => {
  const own = ['web/src/lib/keys.ts', 'web/src/settings/shortcuts/presses.ts'];
  const written = globSync('web/src/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !/\.test\.|schema\.d\.ts$/.test(path) && !own.includes(path))
    .filter((path) => /[⌘⇧⌥]/.test(read(join(root, path)).replace(/\/\*[\s\S]*?\*\//g, '')));
  expect(written).toEqual([]);
});

const files: [string, Record<string, Sentence>, Record<string, Sentence>][] = [
  ['de.json', en, de],
  ['de-later.json', later, deLater],
  ['de-settings.json', settings, deSettings],
  ['de-reports.json', reports, deReports],
];

test.each(files)('%s has every sentence, with its plural forms and values', (_name, english, german) => {
  expect(faultsOf(english, english, 'en')).toEqual([]);
  expect(faultsOf(english, german, 'de')).toEqual([]);
});

test('every error of the API has a German sentence', () => {
  const english = Object.entries(errorCatalog).map(([key, { message }]) => [`error.${key}`, message] as const);
  expect(faultsOf(Object.fromEntries(english), germanOf('error'), 'de')).toEqual([]);
});

/** Header fields, parameters and settings, which no person on the page knows. */
const forPrograms = /\b(Bearer|Retry-After|If-Match|Content-Range|x-[a-z-]+|[a-z]+[A-Z]\w*)\b/;

test('no error that a person can cause shows them the terms of the API', () => {
  const keys = new Set(Object.keys(errorCatalog).map((key) => `error.${key}`));
  expect(Object.keys(enErrors).filter((key) => !keys.has(key))).toEqual([]);
  const shown = Object.entries(errorCatalog)
    .filter(([key]) => !/^(auth\.token_|workspace\.header_|request\.|idempotency\.|metrics\.|route\.)/.test(key))
    .map(([key, { message }]) => (enErrors as Record<string, string>)[`error.${key}`] ?? message);
  expect(shown.filter((message) => forPrograms.test(message))).toEqual([]);
});

test('every reason why a field is refused has a German sentence', () => {
  // The judge of passwords gives its advice in English.
  const english = Object.entries(issueCatalog).map(
    ([key, message]) => [`issue.${key}`, message.replace('{advice}', '')] as const,
  );
  expect(faultsOf(Object.fromEntries(english), germanOf('issue'), 'de')).toEqual([]);
});

test('every reason why a mailbox does not work has a German sentence', () => {
  const english = reasonKeys.map((key) => [`reason.${key}`, key] as const);
  expect(faultsOf(Object.fromEntries(english), germanOf('reason'), 'de')).toEqual([]);
  // The mails about mailboxes have the same sentences.
  expect(Object.fromEntries(Object.entries(germanReasons).map(([key, text]) => [`reason.${key}`, text]))).toEqual(
    germanOf('reason'),
  );
});

test('every sentence of the check of a mailbox has a German one', () => {
  // German leaves out the service's own English words.
  const english = Object.entries(checkCatalog).map(
    ([key, text]) => [`check.${key}`, text.replace(/\{(said|left)\}/, '')] as const,
  );
  expect(faultsOf(Object.fromEntries(english), germanOf('check'), 'de')).toEqual([]);
});

test('every field of a request body has a German name', () => {
  const fields = fieldsOf(Object.values(openApi.paths).flatMap((path) => Object.values(path).map(bodyOf)));
  expect(fields.size).toBeGreaterThan(100);
  expect([...fields].filter((field) => !(`field.${field}` in deErrors))).toEqual([]);
});

function germanOf(kind: string): Record<string, Sentence> {
  return Object.fromEntries(Object.entries(deErrors).filter(([key]) => key.startsWith(`${kind}.`)));
}

function bodyOf(operation: unknown): unknown {
  return (operation as { requestBody?: unknown }).requestBody;
}

/** The names of all properties of the schemas in a part of the OpenAPI text. */
function fieldsOf(part: unknown, into = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return into;
  for (const [name, value] of Object.entries(part)) {
    if (name === '$ref') fieldsOf(componentAt(value as string), into);
    else if (name === 'properties') for (const field of Object.keys(value)) into.add(field);
    fieldsOf(value, into);
  }
  return into;
}

function componentAt(reference: string): unknown {
  const [, ...keys] = reference.split('/');
  return keys.reduce((part: unknown, key) => (part as Record<string, unknown>)[key], openApi);
}

/** Words that German help desks use as English does, names of things, and texts without letters. */
const sameInGerman = [
  'Admin',
  'Agent',
  'API',
  'Bcc',
  'Cc',
  'CSV',
  'Details',
  'Deutsch',
  'Emoji',
  'English',
  'Format',
  'Kontor',
  'Link',
  'Name',
  'Normal',
  'Orange',
  'Original',
  'Person',
  'Port',
  'Server',
  'Spam',
  'STARTTLS',
  'Status',
  'Tag',
  'Tag {tag}',
  'Tags',
  'Team',
  'Team {team}',
  'Teams',
  'Text',
  'Ticket',
  'Tickets',
  'TLS',
  'Webhook',
  'Webhooks',
];

const formsOf = (sentence: Sentence) => (typeof sentence === 'string' ? [sentence] : Object.values(sentence));

test('German has no sentence that was left in English', () => {
  const same = files.flatMap(([, english, german]) =>
    Object.entries(german).flatMap(([key, sentence]) =>
      JSON.stringify(sentence) === JSON.stringify(english[key]) ? formsOf(sentence) : [],
    ),
  );
  expect(
    same.filter((sentence) => /\p{L}/u.test(sentence.replace(/\{\w+\}/g, '')) && !sameInGerman.includes(sentence)),
  ).toEqual([]);
  expect(sameInGerman.filter((sentence) => !same.includes(sentence))).toEqual([]);
});

test('German speaks formally, in its own quotation marks', () => {
  const sentences = [de, deLater, deSettings, deReports, deErrors].flatMap((words: Record<string, Sentence>) =>
    Object.values(words).flatMap(formsOf),
  );
  expect(sentences.length).toBeGreaterThan(1000);
  expect(sentences.filter((sentence) => /\b(?:du|dich|dir|dein\w*)\b/i.test(sentence))).toEqual([]);
  expect(sentences.filter((sentence) => /["'”’]/.test(sentence))).toEqual([]);
});

test('every entry of the audit log has a sentence', () => {
  const keys = Object.keys(settings);
  const missing = Object.keys(auditSubjects).filter(
    (type) => !keys.some((key) => key === `audit.${type}` || key.startsWith(`audit.${type}.`)),
  );
  expect(missing).toEqual([]);
});

test('keys are found as literals and in templates, and only lazy imports for the first page are followed', () => {
  const files: Record<string, string> = {
    'a/main.ts': `import { b } from './b.ts'; import type { C } from './c.ts'; const d = later(() => import('./d.ts'));
      const e = soon(() => import('./e.ts'));`,
    'a/e.ts': '',
    'a/b.ts': `words('one.two'); words(\`\${name}.empty\`); words(\`three.\${name}\`); const free = \`\${x} \${y}\`;`,
  };
  expect(firstLoad('a/main.ts', (path) => files[path] as string)).toEqual(['a/main.ts', 'a/e.ts', 'a/b.ts']);
  const keys = ['one.two', 'one.three', 'list.mine.empty', 'three.four', 'four'];
  expect(keysIn('a/b.ts', files['a/b.ts'] as string, keys)).toEqual(['one.two', 'list.mine.empty', 'three.four']);
  const buttons = `<B {...commandProps(is ? 'close' : 'reopen')} />; <Field command="tags" />;`;
  const commands = ['command.close', 'command.tags', 'command.merge'];
  expect(keysIn('a/b.tsx', buttons, commands)).toEqual(['command.close', 'command.tags']);
});

test('faults of a translation are found', () => {
  const english = { a: 'A {x}', b: { one: '{count} b', other: '{count} bs' }, c: 'C' };
  const german = { a: 'A {y}', b: { other: '{count} Bs' }, d: 'D' };
  expect(faultsOf(english, german, 'de')).toEqual([
    'd: not in English',
    'a: without {x}',
    'a: unknown value {y}',
    'b: no form for "one"',
    'c: no sentence',
  ]);
  expect(
    literalTexts('a.tsx', `<p title="Old words">{x} Text <b aria-label={y ? 'is on' : z} label="a.key" /></p>`),
  ).toEqual(['Old words', 'Text', 'is on']);
});
