import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Desk, stubStorage } from '../../../../test/worlds/draft-desk.ts';
import { undoLast } from '../../tickets/undo.ts';
import { discardDraft } from './discard.ts';
import { keeperOf } from './draft-keepers.ts';

beforeEach(() => {
  vi.useFakeTimers();
  stubStorage();
  for (const name of ['window', 'document']) vi.stubGlobal(name, new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const homeOf = (desk: Desk) => ({
  key: crypto.randomUUID(),
  makeStore: () => desk.store,
  read: async () => desk.draft,
});

test('a discarded draft is deleted, and undoing writes it again above what was written since', async () => {
  const desk = new Desk();
  const home = homeOf(desk);
  const keeper = keeperOf(home);
  const stop = keeper.subscribe(() => undefined);
  keeper.load(null);
  keeper.change({ body: 'Dear Ann', subject: 'Racks', to: ['ann@example.org'] });
  await vi.advanceTimersByTimeAsync(1_100);
  discardDraft(home);
  expect(keeper.read()).toMatchObject({ state: expect.not.stringMatching('conflict'), content: { body: '', to: [] } });
  await vi.advanceTimersByTimeAsync(100);
  expect(desk.draft).toBeNull();
  keeper.change({ body: 'Something else' });
  await vi.advanceTimersByTimeAsync(1_100);
  undoLast();
  await vi.advanceTimersByTimeAsync(1_100);
  expect(desk.draft).toMatchObject({ body: 'Dear Ann\n\nSomething else', subject: 'Racks', to: ['ann@example.org'] });
  stop();
});

test('a listed draft stays where this page has another text in its place, and so does that text', async () => {
  const desk = new Desk();
  const home = homeOf(desk);
  const writer = keeperOf(home);
  const stop = writer.subscribe(() => undefined);
  writer.load(null);
  writer.change({ body: 'From another tab' });
  await vi.advanceTimersByTimeAsync(1_100);
  stop();
  const listed = desk.draft!;
  const here = { ...home, key: crypto.randomUUID() };
  const keeper = keeperOf(here);
  const leave = keeper.subscribe(() => undefined);
  keeper.load(null);
  keeper.change({ body: 'Unsaved' });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(keeper.read().state).toBe('conflict');
  expect(discardDraft(here, { listed })).toBe(false);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(desk.draft).toMatchObject({ body: 'From another tab' });
  expect(keeper.read().content.body).toBe('Unsaved');
  leave();
});

test('a draft of a list is discarded and brought back without a composer', async () => {
  const desk = new Desk();
  const home = homeOf(desk);
  const writer = keeperOf(home);
  const stop = writer.subscribe(() => undefined);
  writer.load(null);
  writer.change({ body: 'Half a sentence' });
  await vi.advanceTimersByTimeAsync(1_100);
  stop();
  const listed = desk.draft!;
  const elsewhere = { ...home, key: crypto.randomUUID() };
  discardDraft(elsewhere, { listed });
  await vi.advanceTimersByTimeAsync(100);
  expect(desk.draft).toBeNull();
  undoLast();
  await vi.advanceTimersByTimeAsync(1_100);
  expect(desk.draft).toMatchObject({ body: 'Half a sentence' });
});
