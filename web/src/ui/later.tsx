import { type ComponentType, createElement, lazy, Suspense, useEffect, useState } from 'react';
import { loadLaterWords } from '../words/words.ts';
import { sayLoaded, sayMissing } from './missing.ts';

const loads: (() => Promise<unknown>)[] = [];

/**
 * A component in a chunk of its own. Once the chunk is here, the component draws at once; `lazy` alone would leave its place
 * empty for 300 ms. A chunk that fails to load leaves its place empty; the next showing of the component tries again.
 * @param onMissing runs when the chunk fails to load
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>, onMissing?: () => void) {
  let loaded: ComponentType<Props> | undefined;
  let wasMissing = false;
  const preload = async () => {
    const [component] = await Promise.all([load(), loadLaterWords()]);
    loaded ??= component;
    if (wasMissing) sayLoaded();
    wasMissing = false;
    return { default: loaded };
  };
  // biome-ignore lint/correctness/noComponentHookFactories: it runs once for each chunk, when its module is read
  const Missing = () => {
    useEffect(() => {
      wasMissing = true;
      sayMissing();
      onMissing?.();
    }, []);
    return null;
  };
  const orMissing = () => preload().catch(() => ({ default: Missing as ComponentType<Props> }));
  // biome-ignore lint/correctness/noComponentHookFactories: it runs once for each chunk, when its module is read
  const Later = (props: Props) => {
    // It stays the same component for as long as it is shown.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? lazy(orMissing));
    return <Suspense>{createElement(Shown, props)}</Suspense>;
  };
  loads.push(preload);
  return Object.assign(Later, { preload });
}

/** Fetches the chunks of the parts that the page has named with `later`. */
export function preloadAll(): void {
  // A chunk that cannot be had now is fetched when it is shown.
  for (const load of loads) load().catch(() => undefined);
}
