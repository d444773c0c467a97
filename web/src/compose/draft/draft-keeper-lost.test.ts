import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stubStorage } from '../../../../test/worlds/draft-desk.ts';
import { DraftWorld, type Fate, Tab } from '../../../../test/worlds/draft-tabs.ts';

const quick: Fate = { loses: 'nothing', thereMs: 10, backMs: 10 };
const slowBack: Fate = { ...quick, backMs: 60_000 };
let world: DraftWorld;

beforeEach(() => {
  vi.useFakeTimers();
  stubStorage();
  world = new DraftWorld();
  vi.stubGlobal('navigator', { locks: world.locks });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A tab whose draft is saved. */
async function saved(word = 'saved'): Promise<Tab> {
  const tab = new Tab(world, 'here');
  tab.type(word);
  await pass(1_100);
  expect(world.draft?.body).toBe(word);
  return tab;
}

test('a text that is cleared after its first save was lost leaves nothing to save', async () => {
  const tab = new Tab(world, 'here');
  world.fates = [{ ...quick, loses: 'request' }];
  tab.type('one');
  await pass(1_100);
  tab.clear();
  await pass(10_000);
  expect(tab.keeper.read().state).toBe('empty');
});

test('a sent text is no draft again when its tab dies, and the next tab types before it reads the draft', async () => {
  const tab = await saved();
  world.fates = [slowBack];
  void tab.send(false);
  await pass(100);
  tab.die();
  const next = new Tab(world, 'here');
  next.type('more');
  await pass(5_000);
  expect(world.draft).toBeNull();
  expect(next.keeper.read()).toMatchObject({ state: 'conflict', other: null, content: { body: 'saved more' } });
});

test('a refused text stays when its tab dies, though another browser clears the draft below its last words', async () => {
  const tab = await saved();
  const other = new Tab(world, 'elsewhere');
  await pass(1_000);
  other.clear();
  tab.type('more');
  void tab.send(true);
  await pass(15);
  tab.die();
  await pass(2_000);
  const next = new Tab(world, 'here');
  await pass(5_000);
  expect(next.keeper.read().content.body).toBe('saved more');
});

test('text that follows a cleared draft stays when the tab dies before it hears of the deletion', async () => {
  for (const isSending of [false, true]) {
    const tab = await saved('cleared');
    tab.clear();
    world.fates = [slowBack];
    await pass(1_100);
    expect(world.draft).toBeNull();
    tab.type('kept');
    if (isSending) void tab.send(false);
    await pass(100);
    tab.die();
    const next = new Tab(world, 'here');
    await pass(2_000);
    expect(world.draft?.body).toBe('kept');
    next.clear();
    await pass(2_000);
    next.die();
  }
});

test('neither sending nor clearing deletes a text that another tab has saved since', async () => {
  for (const act of ['send', 'clear'] as const) {
    const tab = await saved();
    const other = new Tab(world, 'elsewhere');
    await pass(100);
    world.isTold = false;
    other.type('more');
    await pass(1_100);
    if (act === 'send') void tab.send(false);
    else tab.clear();
    await pass(2_000);
    expect(world.draft?.body).toBe('saved more');
    expect(tab.keeper.read()).toMatchObject({ state: 'conflict', other: { body: 'saved more' } });
    world.isTold = true;
    tab.resolve('other');
    tab.clear();
    await pass(2_000);
    for (const one of [tab, other]) one.die();
  }
});

test('a save that meets a newer draft while its text is being sent stops it, and the newer draft stays', async () => {
  const tab = await saved();
  const other = new Tab(world, 'elsewhere');
  await pass(100);
  world.isTold = false;
  other.type('more');
  await pass(500);
  tab.type('mine');
  await pass(995);
  void tab.send(false);
  await pass(2_000);
  expect([...world.sent]).toEqual([]);
  expect(world.draft?.body).toBe('saved more');
  expect(tab.keeper.read()).toMatchObject({ state: 'conflict', content: { body: 'saved mine' } });
});

test('text over a draft that is gone does not overwrite the draft that another tab has begun since', async () => {
  const tab = await saved();
  const other = new Tab(world, 'elsewhere');
  await pass(100);
  world.isTold = false;
  other.clear();
  await pass(1_100);
  other.type('anew');
  await pass(1_100);
  expect(world.draft).toMatchObject({ body: 'anew', version: 1 });
  tab.type('mine');
  await pass(2_000);
  expect(world.draft?.body).toBe('anew');
  expect(tab.keeper.read()).toMatchObject({ state: 'conflict', other: { body: 'anew' } });
});

test('of two tabs that open at once, one takes the text that a dead tab left, and the other follows it', async () => {
  const dead = new Tab(world, 'here');
  dead.type('left');
  dead.die();
  const tabs = [new Tab(world, 'here'), new Tab(world, 'here')] as const;
  await pass(100);
  void tabs[0].send(false);
  await pass(10_000);
  expect([...world.sent]).toEqual(['left']);
  expect(world.draft).toBeNull();
  for (const { keeper } of tabs) expect(keeper.read().state).toBe('empty');
});

test('a tab that opens while another sends does not save the text that the other has', async () => {
  const tab = new Tab(world, 'here');
  await pass(100);
  tab.type('sent');
  void tab.send(false);
  const next = new Tab(world, 'here');
  await pass(5_000);
  expect([...world.sent]).toEqual(['sent']);
  expect(world.draft).toBeNull();
  expect(next.keeper.read().state).toBe('empty');
});
