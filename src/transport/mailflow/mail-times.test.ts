import { describe, expect, test } from 'vitest';
import { timesOf } from './mail-times.ts';

const arrival = new Date('2026-05-04T10:00:00.400Z');
const at = (text: string) => new Date(text);
type Origin = 'live' | 'import';

function createdAt(
  origin: Origin,
  { date = null, received = null, provider }: Record<string, string | null | undefined>,
) {
  const time = (text: string | null | undefined) => (text == null ? null : at(text));
  const hosted = provider === undefined ? null : { receivedAt: time(provider) };
  const mail = { date: time(date), receivedAt: time(received) };
  return timesOf(mail, { origin, receivedAt: arrival, hosted }).createdAt.toISOString();
}

describe('live mail uses its arrival', () => {
  test.each([
    ['with a Date of long ago', { date: '2001-01-01T00:00:00Z' }],
    ['with a Date that is still to come', { date: '2031-01-01T00:00:00Z' }],
    ['without a Date', {}],
    ['fetched within a minute', { provider: '2026-05-04T10:00:00Z', date: '2026-05-04T09:59:58Z' }],
    ['from a provider whose clock is ahead', { provider: '2026-05-04T10:07:00Z' }],
    ['of which the provider’s time was not kept', { provider: null, date: '2026-05-01T10:00:00Z' }],
  ])('%s', (_, times) => {
    expect(createdAt('live', times)).toBe(arrival.toISOString());
  });

  test('at the provider, when it was fetched late', () => {
    const times = { provider: '2026-05-03T22:15:00Z', date: '2020-01-01T00:00:00Z' };
    expect(createdAt('live', times)).toBe('2026-05-03T22:15:00.000Z');
  });
});

describe('the history of a mailbox is sorted', () => {
  test.each([
    [
      'by the provider’s time',
      { provider: '2025-02-03T10:00:05Z', date: '2025-02-03T09:40:00Z' },
      '2025-02-03T10:00:05.000Z',
    ],
    [
      'by the provider’s time, whatever Date says',
      { provider: '2025-02-03T10:00:05Z', received: '2025-02-03T10:00:04Z', date: '2001-01-01T00:00:00Z' },
      '2025-02-03T10:00:05.000Z',
    ],
    [
      'by Date, where the mail was moved to the provider later',
      { provider: '2025-02-03T10:00:05Z', received: '2019-07-01T12:00:03Z', date: '2019-07-01T12:00:00Z' },
      '2019-07-01T12:00:00.000Z',
    ],
    [
      'by Received, where such a mail has no Date',
      { provider: '2025-02-03T10:00:05Z', received: '2019-07-01T12:00:03Z' },
      '2019-07-01T12:00:03.000Z',
    ],
    [
      'by the provider’s time, where nothing else is known',
      { provider: '2025-02-03T10:00:05Z' },
      '2025-02-03T10:00:05.000Z',
    ],
  ])('%s', (_, times, expected) => {
    expect(createdAt('import', times)).toBe(expected);
  });
});

test.each([
  ['its Date', { date: '2019-07-01T12:00:00Z' }, '2019-07-01T12:00:00.000Z'],
  [
    'its newest Received, where Date is before 1980',
    { date: '1970-01-01T00:00:00Z', received: '2019-07-01T12:00:03Z' },
    '2019-07-01T12:00:03.000Z',
  ],
  ['the import, where it tells no time', {}, arrival.toISOString()],
])('an imported mail is sorted by %s', (_, times, expected) => {
  expect(createdAt('import', times)).toBe(expected);
});

test('the mail’s own Date is kept unchanged', () => {
  const date = at('2001-01-01T00:00:00Z');
  expect(timesOf({ date, receivedAt: null }, { origin: 'live', receivedAt: arrival, hosted: null }).sentAt).toEqual(
    date,
  );
});
