import { expect, test } from 'vitest';
import { withNames } from './mentions.ts';

const id = '01a21af7-0120-7413-82b0-7ffe96890d42';

test('mentions become names, and other brackets stay', () => {
  const text = `@[Ines Albrecht](user:${id}) or @[Tomasz Z.](user:${id})? See [this](https://example.com).`;
  expect(withNames(text)).toBe('@Ines Albrecht or @Tomasz Z.? See [this](https://example.com).');
});
