import { afterEach, expect, it, vi } from 'vitest';
import { inventedId } from '../../../test/worlds/factories.ts';
import { openSearchTurns } from './search-turns.ts';

afterEach(() => vi.useRealTimers());

const clientOf = (isGone = false) => ({ raw: { socket: { destroyed: isGone } } }) as never;

/** Runs searches that end on command. */
function openDesk() {
  const inTurn = openSearchTurns();
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const search = (name: string, client = clientOf()) =>
    inTurn(client, inventedId(name.charAt(0)), () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  return { search, begun, endNext: () => ends.shift()?.() };
}

it('runs four searches at once, and gives waiting workspaces turns', async () => {
  const { search, begun, endNext } = openDesk();
  const found = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1'].map((name) => search(name));
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3', 'a4']);
  for (const next of ['a5', 'b1', 'a6']) {
    endNext();
    await expect.poll(() => begun.at(-1)).toBe(next);
  }
  for (let left = 0; left < 4; left++) endNext();
  expect(await Promise.all(found)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1']);
});

it('skips searches whose client has disconnected', async () => {
  const { search, begun, endNext } = openDesk();
  const client = { raw: { socket: { destroyed: false } } };
  const found = ['a1', 'a2', 'a3', 'a4'].map((name) => search(name));
  const broken = search('a5', client as never);
  client.raw.socket.destroyed = true;
  for (let left = 0; left < 4; left++) endNext();
  await expect(broken).rejects.toMatchObject({ key: 'unavailable' });
  await Promise.all(found);
  expect(begun).toHaveLength(4);
});

it('answers 503 with Retry-After after ten seconds of waiting', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { search, endNext } = openDesk();
  const found = ['a1', 'a2', 'a3', 'a4'].map((name) => search(name));
  const late = search('b1');
  vi.advanceTimersByTime(10_001);
  for (let left = 0; left < 4; left++) endNext();
  await expect(late).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  await Promise.all(found);
});
