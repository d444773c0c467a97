import { expect, test } from 'vitest';
import { isNothing, nothingWritten, startByDefault } from './draft-content.ts';

test('what a new ticket starts as is worth keeping, unless it is what every ticket starts as', () => {
  const isLost = (startsAs: object | null) =>
    isNothing({ ...nothingWritten, startsAs: startsAs && { ...startByDefault, ...startsAs } });
  for (const chosen of [{ status: 'closed' }, { assigneeId: 'ann' }, { tags: ['vip'] }])
    expect({ chosen, isLost: isLost(chosen) }).toEqual({ chosen, isLost: false });
  for (const none of [null, {}]) expect({ none, isLost: isLost(none) }).toEqual({ none, isLost: true });
  expect(isNothing({ ...nothingWritten, to: ['ann@example.org'] })).toBe(true);
});
