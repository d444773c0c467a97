import { describe, expect, it } from 'vitest';
import { type Heir, type StandingMerge, takeBack } from './take-back.ts';

const merge = (id: string, brought: string[], sourceHas = brought): StandingMerge => ({
  id,
  brought,
  sourceHas: new Set(sourceHas),
});
const heir = (by: StandingMerge, others: StandingMerge[] = [], own: string[] = []): Heir => ({
  by,
  others,
  own: new Set(own),
});
const brought = (...entries: [string, string[]][]) => new Map(entries);

describe('what an unmerge takes back', () => {
  it('leaves every ticket along the merges that has it only by this merge', () => {
    expect(takeBack([heir(merge('undone', ['x', 'y'])), heir(merge('later', ['x', 'z'], ['x', 'y', 'z']))])).toEqual({
      lost: [['x', 'y'], ['x']],
      brought: brought(['later', ['z']]),
    });
  });

  it('stays all the way up if a ticket on the way keeps it', () => {
    const later = merge('later', ['x', 'y']);
    expect(takeBack([heir(merge('undone', ['x', 'y']), [], ['x']), heir(later)])).toEqual({
      lost: [['y'], ['y']],
      brought: brought(['later', ['x']]),
    });
    expect(takeBack([heir(merge('undone', ['x']), [merge('other', [], ['x'])]), heir(merge('later', ['x']))])).toEqual({
      lost: [[], []],
      brought: brought(['other', ['x']]),
    });
  });

  it('stays with a ticket further up that has it otherwise, and no merge on the way brings it', () => {
    const other = merge('other', ['o'], ['o', 'x']);
    expect(takeBack([heir(merge('undone', ['x', 'y'])), heir(merge('later', ['x', 'y']), [other], ['y'])])).toEqual({
      lost: [['x', 'y'], []],
      brought: brought(['later', []], ['other', ['o', 'x']]),
    });
  });
});
