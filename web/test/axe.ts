import axe from 'axe-core';

/** What axe finds in the page. Leaves out the frames of mail: no script runs in them, so axe would wait there forever. */
export async function axeFaults(): Promise<string[]> {
  // A picker that still fades in has too little contrast.
  const ending = document.getAnimations().filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  await Promise.allSettled(ending.map(({ finished }) => finished));
  const { violations } = await axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'], iframes: false });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
