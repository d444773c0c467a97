import { beforeAll, expect, test } from 'vitest';
import { loadWords, speak } from '../../words/words.ts';
import { healthOf, type Mailbox } from './health.ts';

beforeAll(() => loadWords('settings'));

const now = new Date('2026-11-24T12:00:00Z');
const well = {
  status: 'active',
  statusReason: null,
  statusReasonKey: null,
  sendStatus: 'active',
  sendStatusReason: null,
  sendStatusReasonKey: null,
  lastSyncedAt: '2026-11-24T11:58:00Z',
  unreachableSince: null,
} as Mailbox;
const say = (mailbox: Partial<Mailbox>) => {
  const { tone, what, why } = healthOf({ ...well, ...mailbox }, now);
  return [tone, what, why];
};

test('each status is said in words, with its reason', () => {
  expect(say({})).toEqual(['good', 'Connected', null]);
  expect(say({ lastSyncedAt: null })).toEqual(['pending', 'Connecting for the first time', null]);
  expect(say({ statusReason: 'No topic.' })).toEqual(['pending', 'Connected, but new email arrives late', 'No topic.']);
  expect(say({ status: 'paused' })).toEqual(['pending', 'Paused', null]);
  expect(say({ status: 'error', statusReason: 'Blocked.' })).toEqual(['bad', 'Cannot be read', 'Blocked.']);
  expect(say({ status: 'reauthorization_required', statusReason: 'Revoked.' })).toEqual([
    'bad',
    'Needs your consent again',
    'Revoked.',
  ]);
  expect(say({ sendStatus: 'error', sendStatusReason: 'Spam.' })).toEqual(['bad', 'Cannot send', 'Spam.']);
});

test('a provider is out of reach only after some minutes', () => {
  expect(say({ unreachableSince: '2026-11-24T11:55:00Z' })).toEqual(['good', 'Connected', null]);
  const [tone, what] = say({ unreachableSince: '2026-11-24T11:40:00Z' });
  expect(tone).toBe('bad');
  expect(what).toMatch(/^Out of reach since .*40/);
});

test('the trouble that hides the others is said', () => {
  expect(say({ status: 'paused', sendStatus: 'error', unreachableSince: '2026-11-24T09:00:00Z' })[1]).toBe('Paused');
});

test('a German reader gets the reason in German, with the words of the service beside it', async () => {
  await loadWords('later');
  const refused = {
    ...well,
    status: 'reauthorization_required',
    statusReason: 'Revoked.',
    statusReasonKey: 'consent',
  } as Mailbox;
  expect(healthOf(refused, now)).toMatchObject({ why: 'Revoked.', said: null });
  await speak('de');
  const { why, said } = healthOf(refused, now);
  expect([why, said]).toEqual([expect.stringMatching(/^Der Anbieter nimmt den Zugriff/), 'Revoked.']);
  expect(healthOf({ ...refused, statusReasonKey: null }, now)).toMatchObject({ why: 'Revoked.', said: null });
  await speak('en');
});
