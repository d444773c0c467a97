import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LogLine, logLinesOf } from './log-lines.ts';
import { readSources } from './sources.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/logs.md'), 'utf8');
const code = (await readSources()).filter(({ path }) => !path.endsWith('.test.ts')).flatMap(logLinesOf);

type Documented = { message: string; levels: string[]; fields: string[]; hasFurther: boolean };

const documented: Documented[] = page
  .slice(page.indexOf('## Lines'))
  .split('\n')
  .flatMap((row) => {
    const [, message, levels = '', fields = ''] = /^\| (`.+?`+) \| ([a-z, ]+) \| (.*?) \|/.exec(row) ?? [];
    if (message === undefined || levels === 'level') return [];
    return {
      message: message.replace(/^`` | ``$|^`|`$/g, ''),
      levels: levels.split(', '),
      fields: [...fields.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''),
      hasFurther: fields.includes('…'),
    };
  });

test('the page of logs has lines', () => {
  expect(documented.length).toBeGreaterThan(60);
});

test.each(documented)('the code logs "$message" as the page says', ({ message, levels, fields, hasFurther }) => {
  const calls = code.filter((line) => line.message === message);
  const union = (of: (line: LogLine) => string[]) => [...new Set(calls.flatMap(of))].sort();
  expect(union((line) => line.levels)).toEqual(levels.toSorted());
  expect(union((line) => line.fields)).toEqual(fields.toSorted());
  expect(calls.some((line) => line.hasFurther)).toBe(hasFurther);
});

test('the page has every line that needs action', () => {
  const actions = code.filter(({ levels }) => levels.includes('error') || levels.includes('fatal'));
  expect(actions.length).toBeGreaterThan(5);
  const known = new Set(documented.map(({ message }) => message));
  expect(
    actions.filter(({ message }) => !known.has(message)).map(({ path, message }) => `${path}: ${message}`),
  ).toEqual([]);
});

test('no field of a line is named after what a tenant writes', () => {
  const fields = new Set(code.flatMap((line) => line.fields));
  for (const name of ['email', 'address', 'subject', 'body', 'name', 'recipient', 'from', 'to', 'password', 'token']) {
    const users = code.filter((line) => line.fields.includes(name) && !/Kontor listens/.test(line.message));
    expect(users.map(({ message }) => message)).toEqual([]);
  }
  expect(fields).toContain('workspaceId');
});
