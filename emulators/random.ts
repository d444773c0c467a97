/**
 * Numbers that look random and are the same in every run. Each comes from its seed alone, so a caller can draw any of
 * them without those before.
 */
export type Random = {
  /** At least 0 and less than 1. */
  fraction(): number;
  /** A whole number, at least 0 and less than the bound. */
  below(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
};

/** @param seed whole numbers that name the draw, such as a kind and an index */
export function randomOf(...seed: readonly number[]): Random {
  let state = seed.reduce((mixed, part) => mix(mixed ^ mix(part + 0x9e3779b9)), 0x2545f491);
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(fraction() * bound);
  return {
    fraction,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}

/** Spreads 32 bits over 32 bits (the finaliser of MurmurHash3). */
function mix(bits: number): number {
  let mixed = bits | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** A UUIDv7 of the instant. Its other bits come from the seed. */
export function idOf<Id extends string>(atMs: number, ...seed: readonly number[]): Id {
  const random = randomOf(...seed);
  const hex = (digits: number): string =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const time = Math.floor(atMs).toString(16).padStart(12, '0');
  const variant = (8 + random.below(4)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}` as Id;
}
