import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueAt } from '../../../src/ground/lib/issues.ts';
import { ageWords, fullDay, fullTime, shortTime } from '../lib/dates.ts';
import { fileSize } from '../lib/file-size.ts';
import { keyWords } from '../lib/keys.ts';
import { errorWords, followLanguage, inOrder, issueWords, loadWords, speak, words } from './words.ts';

beforeAll(() => Promise.all([loadWords('first'), loadWords('later')]));
// Test files share their modules.
afterAll(() => speak('en'));

test('a count chooses the plural form and has thousands separators, a number that names something has none', async () => {
  await speak('en');
  expect(words('change.tickets', { count: 1 })).toBe('1 ticket');
  expect(words('change.tickets', { count: 4312 })).toBe('4,312 tickets');
  expect(words('undo.notSent', { number: 4312 })).toMatch(/#4312 was/);
  await speak('de-DE');
  expect(words('change.tickets', { count: 1 })).toBe('1 Ticket');
  expect(words('change.tickets', { count: 4312 })).toBe('4.312 Tickets');
  expect(words('undo.notSent', { number: 4312 })).toMatch(/#4312 wurde/);
});

test('a change of the language loads every part that was loaded, and is told', async () => {
  await speak('en');
  await loadWords('settings');
  let told = 0;
  const stop = followLanguage(() => {
    told += 1;
  });
  await speak('de');
  stop();
  expect(told).toBe(1);
  expect(words('settings.members')).toBe('Mitglieder');
});

test('of two choices at once, the last one wins', async () => {
  await Promise.all([speak('de'), speak('en')]);
  expect(words('list.closed')).toBe('Closed');
});

test('dates, sizes, keys and the alphabet follow the language', async () => {
  await speak('de-DE');
  const now = new Date('2026-03-02T12:00:00Z');
  expect(shortTime('2026-01-02T12:00:00Z', now)).toBe('2. Jan.');
  expect(fullDay('2025-01-02T12:00:00Z')).toBe('2. Jan. 2025');
  expect(fullTime('2026-03-02T12:00:00Z')).toMatch(/^Montag, 2. März 2026 um \d\d:00$/);
  expect(ageWords('2026-03-02T11:52:00Z', now)).toBe('8 Min.');
  expect(ageWords('2026-03-02T09:00:00Z', now)).toBe('3 Std.');
  expect(ageWords('2026-02-20T12:00:00Z', now)).toBe('10 Tg.');
  expect([512, 2_000, 1_572_864, 26_214_400, 3 * 1_024 ** 3].map(fileSize)).toEqual([
    '512 B',
    '2 kB',
    '1,5 MB',
    '25 MB',
    '3 GB',
  ]);
  expect(keyWords('$mod+k', false)).toBe('Strg K');
  expect(['Zoe', 'Änne', 'Bo'].sort(inOrder)).toEqual(['Änne', 'Bo', 'Zoe']);
});

test("an error of the API has the language's sentence, and an unknown one the sentence of the API", async () => {
  await speak('de');
  await loadWords('later');
  const fallbackMessage = 'The draft is gone.';
  expect(errorWords({ key: 'draft.not_found', fallbackMessage })).toMatch(/^Diesen Entwurf gibt es nicht/);
  expect(errorWords({ key: 'draft.lost', fallbackMessage })).toBe(fallbackMessage);
  await speak('en');
  expect(errorWords({ key: 'draft.not_found', fallbackMessage })).toBe(fallbackMessage);
});

test('a refused field is named, and the reason given, in the language of the page', async () => {
  await loadWords('later');
  const tooLong = issueAt('body.newSubject', 'too_long', { limit: 1000 });
  const repeated = issueAt('body.tags.3', 'empty');
  const gone = issueAt('body.inboxPaths[Box.2]', 'no_folder');
  await speak('de');
  expect(issueWords(tooLong)).toBe('„Neuer Betreff“ darf höchstens 1.000 Zeichen haben');
  expect(issueWords(repeated)).toBe('„Tags“ darf nicht leer sein');
  expect(issueWords(gone)).toBe('„Ordner zum Lesen Box.2“ ist kein Ordner des Servers');
  expect(issueWords(issueAt('body', 'no_change'))).toBe('„Anfrage“ nennt nichts, was sich ändern soll');
  await speak('en');
  expect(issueWords(tooLong)).toBe('new subject must not have more than 1000 characters');
  expect(issueWords(repeated)).toBe('tags must not be empty');
});
