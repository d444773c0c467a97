import { beforeAll, expect, test } from 'vitest';
import settings from '../../words/en-settings.json' with { type: 'json' };
import { loadWords } from '../../words/words.ts';
import { auditKinds, startOfDay, typesOf } from './audit.ts';
import { auditSentence } from './audit-words.ts';

beforeAll(async () => {
  await Promise.all([loadWords('later'), loadWords('settings')]);
});

const actor = { userId: 'ann', name: 'Ann', apiKeyId: null, apiKeyName: null };
const sentence = (type: string, data: object, by: object | null = actor) =>
  auditSentence(
    { type, data, actor: by, subject: { type: 'user', id: '1', name: 'Bo' } } as never,
    (id) => `name of ${id}`,
  );

test('every type of entry is a sentence and has a kind', () => {
  const types = auditKinds.flatMap(typesOf);
  expect(new Set(types).size).toBe(types.length);
  const found = Object.keys(settings);
  const missing = types.filter(
    (type) => !found.some((key) => key === `audit.${type}` || key.startsWith(`audit.${type}.`)),
  );
  expect(missing).toEqual([]);
});

test('sentences name people, roles and fields', () => {
  expect(sentence('member.role_changed', { from: 'agent', to: 'admin' })).toBe(
    'Ann changed the role of Bo from Agent to Admin',
  );
  expect(sentence('mailbox.changed', { changed: ['defaultTags', 'signature'] })).toBe(
    'Ann changed the mailbox Bo: default tags, signature',
  );
  expect(sentence('password.refused', {}, null)).toBe('Somebody gave a wrong password for Bo');
  const byKey = { ...actor, apiKeyId: '2', apiKeyName: 'Import' };
  expect(sentence('ticket.trashed', { ticketNumber: 7 }, byKey)).toBe(
    'Ann by the API key Import moved ticket #7 to the trash',
  );
  expect(sentence('ticket.purged', { ticketNumber: 7, messages: 2 }, null)).toMatch(/^Kontor deleted ticket #7/);
});

test('entries about a team say whom and what', () => {
  expect(sentence('team.member_added', { name: 'Billing', userId: 'cy' })).toBe(
    'Ann added name of cy to the team “Billing”',
  );
  expect(sentence('team.changed', { name: 'Billing', visibility: 'members', changed: ['visibility'] })).toBe(
    'Ann changed the team “Billing”: Only the team sees its tickets',
  );
});

test('entries of one type that differ have sentences of their own', () => {
  expect(sentence('session.ended', { reason: 'reused' }, null)).toMatch(/token was used twice/);
  expect(sentence('webhook.disabled', { origin: 'https://a.example', reason: 'failing' }, null)).toMatch(
    /kept failing/,
  );
  expect(sentence('mailbox.status_changed', { field: 'status', from: 'active', to: 'error' }, null)).toBe(
    'Receiving in Bo went from working to failing',
  );
  const data = { name: { from: 'A', to: 'B' }, requireSecondFactor: { from: false, to: true } };
  expect(sentence('workspace.changed', data)).toBe(
    'Ann renamed the workspace from A to B; Ann required two-factor authentication from every member',
  );
  const addresses = { ownAddresses: { from: ['a@shop.example'], to: ['a@shop.example', 'b@shop.example'] } };
  expect(sentence('workspace.changed', addresses)).toBe(
    'Ann changed the other addresses of the workspace to a@shop.example, b@shop.example',
  );
});

test('a day begins and ends at midnight of the member', () => {
  expect(Date.parse(startOfDay('2026-01-31', 1)) - Date.parse(startOfDay('2026-01-31'))).toBe(86_400_000);
});
