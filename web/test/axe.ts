import axe from 'axe-core';

/** What axe finds in the page. Leaves out the frames of mail: no script runs in them, so axe would wait there forever. */
export async function axeFaults(): Promise<string[]> {
  const { violations } = await axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'], iframes: false });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
