import { beforeAll, expect, test } from 'vitest';
import { loadWords } from '../../words/words.ts';
import { readZone } from './fields.ts';
import { faultOf, nextSpan, weekWords } from './week.ts';

beforeAll(() => loadWords('settings'));

const span = (text: string) => {
  const [open = '', close = ''] = text.split('-');
  return { open, close };
};
const on = (days: number[], ...texts: string[]) => days.flatMap((day) => texts.map((text) => ({ day, ...span(text) })));

test.each([
  [on([1, 2, 3, 4, 5], '09:00-17:00'), 'Mon–Fri 09:00–17:00'],
  [
    [...on([1, 2], '08:00-12:00', '13:00-17:00'), ...on([4], '08:00-12:00'), ...on([6, 7], '10:00-24:00')],
    'Mon–Tue 08:00–12:00, 13:00–17:00 · Thu 08:00–12:00 · Sat–Sun 10:00–24:00',
  ],
  [[], 'Only on special days'],
])('a week in one line: %j', (hours, line) => {
  expect(weekWords(hours)).toBe(line);
});

test.each([
  [['09:00-12:00', '12:00-17:00'], undefined],
  [['13:00-17:00', '09:00-12:00'], undefined],
  [['22:00-24:00'], undefined],
  [['09:00-09:00'], 'order'],
  [['17:00-09:00'], 'order'],
  [['09:00-'], 'missing'],
  [['13:00-17:00', '09:00-13:01'], 'overlap'],
])('the fault of %j is %s', (texts, fault) => {
  expect(faultOf(texts.map(span))).toBe(fault);
});

test.each([
  [[], '09:00-17:00'],
  [['08:00-12:30'], '13:30-17:30'],
  [['08:00-21:00'], '22:00-24:00'],
  [['08:00-24:00'], '-'],
])('after %j comes %s', (texts, next) => {
  expect(nextSpan(texts.map(span))).toEqual(span(next));
});

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  [' europe/berlin ', 'Europe/Berlin'],
  ['berlin', 'Europe/Berlin'],
  ['new york', 'America/New_York'],
  ['UTC', 'UTC'],
  ['Mars', undefined],
  ['+01:00', undefined],
  ['', undefined],
])('a person who types %j means the zone %s', (typed, zone) => {
  expect(readZone(typed)).toBe(zone);
});
