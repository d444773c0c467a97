import { expect, test } from 'vitest';
import { openKnownKeys } from './known-keys.ts';

test('a known key that comes again evicts no other', () => {
  const known = openKnownKeys();
  for (let count = 1; count <= 20_000; count++) known.remember(`secret ${count}`, `id ${count}`);
  known.remember('secret 1', 'id 1');
  expect([known.idOf('secret 1'), known.idOf('secret 20000')]).toEqual(['id 1', 'id 20000']);
  known.remember('one more', 'another id');
  expect([known.idOf('secret 1'), known.idOf('one more')]).toEqual([undefined, 'another id']);
});
