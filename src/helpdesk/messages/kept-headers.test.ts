import { expect, test } from 'vitest';
import { keptHeaders } from './kept-headers.ts';

const fields = (all: Record<string, string>) => Object.entries(all).map(([name, value]) => ({ name, value }));

test('keeps what a rule may ask for, and nothing that stands elsewhere', () => {
  const kept = {
    'list-id': '<dev.lists.example>',
    'auto-submitted': 'no',
    importance: 'high',
    'x-spam-status': 'Yes, score=7.1',
    'x-ms-exchange-organization-scl': '5',
    sender: 'dev-bounces@lists.example',
  };
  const dropped = [
    ...['from', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'references', 'in-reply-to', 'return-path'],
    ...['reply-to', 'received', 'x-received', 'delivered-to', 'mime-version', 'content-type', 'list-archive'],
    ...['dkim-signature', 'arc-seal', 'authentication-results', 'x-google-dkim-signature', 'x-gm-message-state'],
    ...['x-microsoft-antispam-message-info', 'x-ms-exchange-crosstenant-id', 'thread-index', 'autocrypt'],
  ];
  const headers = [...dropped.map((name) => ({ name, value: 'x' })), ...fields(kept)];
  expect(keptHeaders(headers)).toEqual(
    Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, [value]])),
  );
  expect(keptHeaders(dropped.map((name) => ({ name, value: 'x' })))).toBeNull();
});

test('decodes values, keeps repeats in their order, and cuts long ones', () => {
  expect(
    keptHeaders([
      { name: 'organization', value: '=?utf-8?q?B=C3=BCro?=  Nord' },
      { name: 'x-loop', value: 'a@x.example' },
      { name: 'x-loop', value: 'b@x.example' },
      { name: 'x-spam-report', value: '😀'.repeat(300) },
    ]),
  ).toEqual({
    organization: ['Büro Nord'],
    'x-loop': ['a@x.example', 'b@x.example'],
    'x-spam-report': ['😀'.repeat(200)],
  });
});

test('stays below 4 kB, and keeps the fields of the standards before those of programs', () => {
  const many = Array.from({ length: 500 }, (_, n) => ({ name: `x-field-${n}`, value: 'v'.repeat(90) }));
  const kept = keptHeaders([...many, { name: 'precedence', value: 'bulk' }]);
  expect(kept).toMatchObject({ precedence: ['bulk'], 'x-field-0': ['v'.repeat(90)] });
  expect(Object.keys(kept ?? {}).length).toBeGreaterThan(30);
  const bytes = Object.entries(kept ?? {}).reduce((sum, [name, [value = '']]) => sum + name.length + value.length, 0);
  expect(bytes).toBeLessThanOrEqual(4_096);
});

test('a field called __proto__ is a field like any other', () => {
  expect(JSON.stringify(keptHeaders([{ name: '__proto__', value: 'x' }]))).toBe('{"__proto__":["x"]}');
});
