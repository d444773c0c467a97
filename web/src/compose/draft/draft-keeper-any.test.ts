import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stubStorage } from '../../../../test/worlds/draft-desk.ts';
import { DraftWorld, type Fate, Tab } from '../../../../test/worlds/draft-tabs.ts';
import { isNothing } from './draft-content.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Two tabs of one browser, and one of another. */
const machines = ['here', 'here', 'elsewhere'];
const acts = ['type', 'type', 'clear', 'send', 'refused', 'die', 'hide', 'mine', 'other', 'both'] as const;
type Step = { at: number; act: (typeof acts)[number]; waitMs: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    at: fc.constantFrom(0, 0, 0, 1, 1, 2),
    act: fc.constantFrom(...acts),
    waitMs: fc.constantFrom(0, 5, 30, 990, 1_010, 1_030, 4_000),
  }),
  { maxLength: 14 },
);
const fates: fc.Arbitrary<Fate[]> = fc.array(
  fc.record({
    loses: fc.constantFrom('nothing' as const, 'nothing' as const, 'request' as const, 'answer' as const),
    thereMs: fc.constantFrom(10, 2, 1_500),
    backMs: fc.constantFrom(10, 2, 1_500),
  }),
  { maxLength: 20 },
);

async function run(taken: readonly Step[], coming: readonly Fate[]): Promise<DraftWorld> {
  stubStorage();
  const world = new DraftWorld();
  vi.stubGlobal('navigator', { locks: world.locks });
  world.fates = [...coming];
  const open: (Tab | undefined)[] = [];
  for (const [at, { act, ...step }] of taken.entries()) {
    const tab = open[step.at] ?? new Tab(world, machines[step.at] as string);
    open[step.at] = tab;
    // A person sees a page before they act.
    await vi.advanceTimersByTimeAsync(0);
    if (act === 'type') tab.type(`w${at}`);
    else if (act === 'clear') tab.clear();
    else if (act === 'send' || act === 'refused') void tab.send(act === 'refused');
    else if (act === 'hide') void tab.keeper.flush(true);
    else if (act === 'die') {
      tab.die();
      open[step.at] = undefined;
    } else tab.resolve(act);
    await vi.advanceTimersByTimeAsync(step.waitMs);
  }
  world.fates = [];
  return world;
}

/** Each tab settles once the network is back. */
async function settle(world: DraftWorld): Promise<void> {
  await vi.advanceTimersByTimeAsync(100_000);
  for (const tab of world.tabs) void tab.read();
  await vi.advanceTimersByTimeAsync(3_000);
  for (const { keeper } of world.tabs) {
    const { state, content } = keeper.read();
    if (state === 'conflict') continue;
    expect([state, content.body]).toEqual([isNothing(content) ? 'empty' : 'saved', world.draft?.body ?? '']);
  }
}

/** Opens one tab after the other, until no browser keeps any text. */
async function openAgain(world: DraftWorld): Promise<void> {
  for (const tab of world.tabs) tab.die();
  for (let left = 6; left > 0; left--) {
    for (const machine of new Set(machines)) {
      const tab = new Tab(world, machine);
      await settle(world);
      tab.resolve('both');
      await settle(world);
      tab.die();
    }
  }
}

const quick: Fate = { loses: 'nothing', thereMs: 10, backMs: 10 };
/** A save of a dead tab reaches the service after another tab has sent its text. */
const lateSave: [Step[], Fate[]] = [
  (['type', 'refused', 'die', 'send'] as const).map((act) => ({ at: 0, act, waitMs: 0 })),
  [quick, { ...quick, thereMs: 1_500 }],
];
/** A tab types while another sends the text that both show. */
const sentMeanwhile: [Step[], Fate[]] = [
  [
    { at: 0, act: 'type', waitMs: 0 },
    { at: 0, act: 'send', waitMs: 1_010 },
    { at: 1, act: 'hide', waitMs: 1_010 },
    { at: 1, act: 'type', waitMs: 0 },
  ],
  [
    quick,
    { ...quick, thereMs: 1_500 },
    { ...quick, thereMs: 1_500 },
    quick,
    { ...quick, thereMs: 2 },
    { ...quick, backMs: 1_500 },
  ],
];
/** A tab dies while it waits to send again, and the next tab sends its text. */
const diesWaiting: [Step[], Fate[]] = [
  [
    { at: 0, act: 'type', waitMs: 0 },
    { at: 0, act: 'send', waitMs: 0 },
    { at: 0, act: 'type', waitMs: 1_030 },
    { at: 0, act: 'die', waitMs: 0 },
    { at: 0, act: 'send', waitMs: 0 },
  ],
  [quick, { ...quick, loses: 'request' }, { ...quick, loses: 'request' }],
];
/** A tab dies after the service has refused its text, and another clears the draft that was below it. */
const clearedBelow: [Step[], Fate[]] = [
  [
    { at: 2, act: 'type', waitMs: 0 },
    { at: 1, act: 'type', waitMs: 0 },
    { at: 0, act: 'type', waitMs: 1_010 },
    { at: 0, act: 'type', waitMs: 30 },
    { at: 2, act: 'clear', waitMs: 0 },
    { at: 0, act: 'refused', waitMs: 0 },
    { at: 0, act: 'die', waitMs: 0 },
  ],
  [quick, quick, { ...quick, backMs: 1_500 }],
];

test('no text is lost, and no sent text returns', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fates, async (taken, coming) => {
      const world = await run(taken, coming);
      await settle(world);
      await openAgain(world);
      expect(world.faults()).toEqual({ lost: [], returned: [] });
    }),
    { numRuns: 300, examples: [lateSave, sentMeanwhile, diesWaiting, clearedBelow] },
  );
});
