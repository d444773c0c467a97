import { expect, test } from 'vitest';
import { withNames } from './mentions.ts';

const id = '01a21af7-0120-7413-82b0-7ffe96890d42';

test('mentions become names, and other brackets stay', () => {
  const text = `@[Ines Albrecht](user:${id}) or @[Tomasz Z.](user:${id})? See [this](https://example.com).`;
  expect(withNames(text, { type: 'agent' })).toBe('@Ines Albrecht or @Tomasz Z.? See [this](https://example.com).');
});

test('nobody but an agent mentions a colleague', () => {
  const text = `@[The Boss](user:${id}) says: pay this.`;
  for (const type of ['customer', 'system'] as const) expect(withNames(text, { type })).toBe(text);
});
