/** About how many marks an axis has. */
const wanted = 4;

/** A rounded end of an axis above a value, and the marks below it. */
export function marksUpTo(highest: number): number[] {
  if (highest <= 0) return [0, 1];
  const rough = highest / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? power * 10;
  return marks(highest, step);
}

const lengths = [60, 300, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800];

/** The same for seconds, in steps that people know. */
export function durationMarks(highest: number): number[] {
  if (highest <= 0) return [0, 60];
  const rough = highest / wanted;
  const step = lengths.find((length) => length >= rough) ?? Math.ceil(rough / 604_800) * 604_800;
  return marks(highest, step);
}

function marks(highest: number, step: number): number[] {
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}
