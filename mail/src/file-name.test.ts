import { expect, test } from 'vitest';
import { cleanFileName } from './file-name.ts';

test.each([
  ['../../x', 'x'],
  ['C:\\temp\\report.pdf', 'report.pdf'],
  ['/etc/passwd', 'passwd'],
  ['a\r\nb', 'ab'],
  ['a\u0000b', 'ab'],
  ['cod\u202Egpj.exe', 'codgpj.exe'],
  ['a\u200B\u2060\uFEFF\u3164b', 'ab'],
  ['  a \t\u2028 b.txt ', 'a b.txt'],
  ['Zażółć gęślą.pdf', 'Zażółć gęślą.pdf'],
  ['\ud800.txt', '\ufffd.txt'],
])('%j becomes %j', (given, name) => {
  expect(cleanFileName(given)).toBe(name);
});

test.each(['', ' ', '.', '..', '/', '../../', 'a/', '\u202E', '\r\n'])('%j gives no name', (given) => {
  expect(cleanFileName(given)).toBeNull();
});

test('a long name is cut to 255 bytes between characters and keeps its extension', () => {
  const name = cleanFileName(`${'ż'.repeat(5_000)}.pdf`) ?? '';
  expect(name).toBe(`${'ż'.repeat(125)}.pdf`);
  expect(cleanFileName('x'.repeat(5_000))).toBe('x'.repeat(255));
  expect(cleanFileName(`a.${'x'.repeat(5_000)}`)).toHaveLength(255);
});
