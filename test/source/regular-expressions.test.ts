import { expect, test } from 'vitest';
import { type Found, findRegularExpressions } from './regular-expressions.ts';
import { slowText } from './slow-strings.ts';

/** Expressions that are slow on long texts, and why nobody can send them one. */
const bounded: { in: string; sources: RegExp; because: string }[] = [
  { in: 'src/ground/settings/', sources: /\\\/|@/, because: 'Only the operator writes settings.' },
  { in: 'web/src/commands.ts', sources: /\\\(/, because: 'The text is a key that the reader chose.' },
  { in: 'web/src/tickets/query/query-', sources: /\\S/, because: 'The reader types the text.' },
  { in: 'web/src/words/words.ts', sources: /\\w/, because: 'The text is a path in an error of our own service.' },
];

const reasonFor = ({ path, source }: Found) =>
  bounded.find((one) => path.startsWith(one.in) && one.sources.test(source));

test('no regular expression takes more than linear time', async () => {
  const found = await findRegularExpressions();
  expect(found.length).toBeGreaterThan(600);
  const slow = found.flatMap((one) => {
    const text = slowText(one);
    return text === undefined ? [] : [{ ...one, text }];
  });
  const faults = slow.filter((one) => reasonFor(one) === undefined);
  expect(faults.map(({ path, source, flags, text }) => `${path}: /${source}/${flags} on ${text}`)).toEqual([]);
  // A reason that nothing needs any more would allow the next slow expression.
  expect(bounded.filter((reason) => !slow.some((one) => reasonFor(one) === reason))).toEqual([]);
}, 60_000);

test.each([
  ['digits read in several ways', /(-?\s*\d*\.?\d+)([a-z]+|%)?/gi],
  ['digits before a unit', /(\d*\.?\d+)(px|pt|rem)\b/i],
  ['a word, then digits', /^\s*"?([^\s";=()]+)"?\s*(?:\d+\s*)?(?:;|\(|$)/],
  ['blanks around commas', /\s*,\s*/],
  ['a mark at the end', /\/+$/],
  ['a tag without an end', /<(\/?)span\b[^>]*>/g],
  ['a line without an end', /^begin [0-7]{3,4} [^\n]*\n/m],
  ['a function without an end', /#[0-9a-f]+|(?:rgb|hsl)a?\([^)]*\)/gi],
  ['groups in groups', /^(?:(?:ab)+)+$/],
])('finds %s', (_, { source, flags }) => {
  expect(slowText({ source, flags })).toBeDefined();
});

test.each([
  ['a mark at the end that has a beginning', /(?<!\/)\/+$/],
  ['a tag that ends at the next', /<(\/?)span\b[^<>]*>/g],
  ['many words', /\b(?:mailbox|inbox|storage|disk)[^.]{0,40}\bfull\b|quota (?:is )?exceed/i],
])('accepts %s', (_, { source, flags }) => {
  expect(slowText({ source, flags })).toBeUndefined();
});
