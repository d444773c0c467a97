import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';

const house = useHouse();

test('an address opens thirty pages a minute, whatever their tokens', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 32; n++) statuses.push((await fetch(`${house.url}/s/${n}`)).status);
  expect(statuses).toEqual([...Array(30).fill(404), 429, 429]);
  expect((await fetch(`${house.url}/livez`)).status).toBe(200);
});
