import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { inventedId, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { newId } from '../../ground/lib/ids.ts';
import { workspaceLetters } from '../../ground/lib/search-vector.ts';

const house = useHouse();

test('two workspaces whose words begin alike find only their own tickets', async () => {
  const first = await makeOwner(house);
  const letters = workspaceLetters(first.workspaceId);
  const second = await makeOwner(house, 'Other', inventedId(`${newId().slice(0, -letters.length)}${letters}`));
  const make = async ({ call }: Person, times: number) => {
    for (let time = 0; time < times; time++)
      await call('POST', '/tickets', {
        subject: 'Printer',
        body: 'The paper jams.',
        requester: { email: `ada${time}@example.org`, name: 'Ada' },
      });
  };
  await make(first, 2);
  await make(second, 3);
  for (const [owner, count] of [
    [first, 2],
    [second, 3],
  ] as const) {
    for (const search of ['printer', 'pap', '"paper jams"', 'ada', '-moon']) {
      const { body, headers } = await owner.call('GET', `/tickets?search=${encodeURIComponent(search)}`);
      expect([body.length, headers.get('x-total-count')]).toEqual([count, String(count)]);
    }
    expect((await owner.call('GET', '/contacts?search=ada')).body).toHaveLength(count);
  }
});
