import { expect, test } from 'vitest';
import { helpFor } from './usages.ts';

const all = /^usage: node operate\.js <command>/;

test.each([
  [['help'], all],
  [['--help'], all],
  [['-h'], all],
  [['help', 'fly'], all],
  [['help', 'backup'], /^usage: node operate\.js backup </],
  [['backup', '--help'], /^usage: node operate\.js backup </],
  [['backup', '-h'], /^usage: node operate\.js backup </],
  [['backup', 'help'], /^usage: node operate\.js backup </],
  [['backup', '/mnt', '--keep', '3', '--help'], /^usage: node operate\.js backup </],
  [['migrate', '--help'], /^usage: node operate\.js migrate\n/],
  [['go-live', '--moved', '-h'], /^usage: node operate\.js go-live \[--moved]\n/],
  [['import', '-h'], /^usage: node operate\.js import --workspace .*\n {7}node operate\.js import \[--workspace/],
])('%j asks for help', (words, answer) => {
  expect(helpFor(words)).toMatch(answer);
});

test.each([
  [[]],
  [['backup']],
  [['backup', 'help', '--keep', '3']],
  [['import', '--', '--help']],
  [['fly', '--help']],
  [['toString', '--help']],
])('%j does not', (words) => {
  expect(helpFor(words)).toBeUndefined();
});
