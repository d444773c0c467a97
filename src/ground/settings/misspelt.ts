/** Of names up to this length, many words of other programs differ by two letters: `PATH` is not a misspelt `PORT`. */
const shortNameLength = 8;
const nameLengthMax = 64;

/**
 * The setting that a variable of the environment probably means, though its name is wrong. Undefined for settings, and
 * for variables of other programs.
 */
export function settingMeantBy(name: string, settings: ReadonlySet<string>): string | undefined {
  if (settings.has(name) || name.length < 4 || name.length > nameLengthMax) return undefined;
  const upper = name.toUpperCase().replaceAll('-', '_');
  if (settings.has(upper)) return upper;
  // Variables of other programs may be in lower case, such as npm's.
  if (upper !== name.replaceAll('-', '_')) return undefined;
  const near = [...settings].map((setting) => ({ setting, faults: distance(upper, setting) }));
  const best = near.reduce((a, b) => (b.faults < a.faults ? b : a), { setting: '', faults: Number.POSITIVE_INFINITY });
  const faultsMax = Math.min(name.length, best.setting.length) < shortNameLength ? 1 : 2;
  const hasSameBeginning = best.setting[0] === upper[0] || best.setting.length > shortNameLength;
  return best.faults <= faultsMax && hasSameBeginning ? best.setting : undefined;
}

/** How many letters were added, left out, changed or swapped with their neighbour. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = i > 1 && j > 1 && isSwap ? (before[j - 2] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
