import { expect, test } from 'vitest';
import { scrubOf, searchableNames } from './person.ts';

const scrub = (addresses: string[], names: string[] = []) =>
  scrubOf({ contactIds: [], addresses, names: searchableNames(names) });

test('addresses go in every form and case, and longer addresses stay', () => {
  const { text } = scrub(['ann+a@x.example']);
  const encoded = ['to=ann%2Ba%40x.example', '%3Cann%2Ba%40x.example%3E'];
  for (const form of ['<ANN+a@X.example>', 'Mail--ann+a@x.example', 'ann+a@x.example.', ...encoded])
    expect(text(form)).not.toMatch(/ann/i);
  for (const other of ['joann+a@x.example', 'jo.ann+a@x.example', 'jo-ann+a@x.example', 'ann+a@x.examples'])
    expect(text(other)).toBe(other);
});

test('a long line of what may stand before an address takes no time', () => {
  const line = '-'.repeat(200_000);
  const before = performance.now();
  expect(scrub(['ann@x.example']).text(`${line}ann@x.example`)).toBe(`${line}(erased)`);
  expect(performance.now() - before).toBeLessThan(1_000);
});

test('letters of an address or a name mean themselves', () => {
  const { text } = scrub(['a.b*$^|(x)@x.example'], ['Ann (Boss) [x] $& \\']);
  expect(text('axb@x.example, a.b*$^|(x)@x.example, ann  (boss)\n[x] $& \\, Boss')).toBe(
    'axb@x.example, (erased), (erased), Boss',
  );
});

test('a name of one word goes where it is written as a name', () => {
  const { text } = scrub([], ['will', 'Mail']);
  expect(text('Will, WILL and will; e-mail, Mailer, Mail')).toBe(
    '(erased), (erased) and will; e-mail, Mailer, (erased)',
  );
  expect(scrub([], ['An']).text('An answer')).toBe('An answer');
});

test('names of Chinese, Japanese and Korean have few characters and no spaces around', () => {
  const { text } = scrub([], ['王小明', '김철수']);
  expect(text('请问王小明先生, 김철수님')).toBe('请问(erased)先生, (erased)님');
});

test('HTML keeps its tags, colours and pictures', () => {
  const { html } = scrub(['ann@x.example'], ['Mark', 'Black']);
  const picture = '<img src="data:image/png;base64,Mark/Black" alt="Mark" />';
  expect(html(`<mark style="color:black">Mark</mark><a href="mailto:ann%40x.example">Black</a>${picture}`)).toBe(
    '<mark style="color:black">(erased)</mark><a href="mailto:(erased)">(erased)</a>' +
      '<img src="data:image/png;base64,Mark/Black" alt="(erased)" />',
  );
});

test('JSON keeps its keys and shape', () => {
  const value = { 'ann@x.example': ['ann@x.example', { to: null, count: 3, quoted: '"ann@x.example"' }] };
  expect(scrub(['ann@x.example']).json(value)).toEqual({
    'ann@x.example': ['(erased)', { to: null, count: 3, quoted: '"(erased)"' }],
  });
});
