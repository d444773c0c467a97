import { type ComponentType, createElement, lazy, Suspense, useEffect, useState } from 'react';
import { loadWords } from '../words/words.ts';
import { sayLoaded, sayMissing } from './missing.ts';

type Exports<Name extends string, Props> = Record<Name, ComponentType<Props>>;

const loads: (() => Promise<unknown>)[] = [];

/**
 * A component in a chunk of its own. Once the chunk is loaded, the component draws at once; `lazy` alone would leave
 * its place empty for 300 ms. A chunk that fails to load leaves the place empty. Chromium remembers the failure, so
 * only a reload of the page tries again.
 * @param name what the chunk's module calls it
 * @param onMissing runs when the chunk fails to load
 * @param Waiting stands in its place until the chunk is loaded
 */
export function later<Name extends string, Props extends object>(
  load: () => Promise<Exports<Name, Props>>,
  name: Name,
  onMissing?: () => void,
  Waiting?: ComponentType<Props>,
) {
  return inChunk(async () => (await load())[name], 'later', onMissing, Waiting);
}

/** Like `later`, for parts that most pages draw with their first rows. Their words are among the first. */
export function soon<Name extends string, Props extends object>(load: () => Promise<Exports<Name, Props>>, name: Name) {
  return inChunk(async () => (await load())[name], 'first');
}

function inChunk<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  part: 'first' | 'later',
  onMissing?: () => void,
  Waiting?: ComponentType<Props>,
) {
  let loaded: ComponentType<Props> | undefined;
  let wasMissing = false;
  const preload = async () => {
    const [component] = await Promise.all([load(), loadWords(part)]);
    loaded ??= component;
    if (wasMissing) sayLoaded();
    wasMissing = false;
    return { default: loaded };
  };
  const Missing = () => {
    useEffect(() => {
      wasMissing = true;
      sayMissing();
      onMissing?.();
    }, []);
    return null;
  };
  const orMissing = () => preload().catch(() => ({ default: Missing as ComponentType<Props> }));
  const Later = (props: Props) => {
    // State keeps the same component until the unmount: swapping it would remount its children.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? lazy(orMissing));
    return <Suspense fallback={Waiting && createElement(Waiting, props)}>{createElement(Shown, props)}</Suspense>;
  };
  loads.push(preload);
  return Object.assign(Later, { preload });
}

/** Fetches the chunks of all components that `later` and `soon` have made. Without a network it would spoil them. */
export async function preloadAll(): Promise<void> {
  if (navigator.onLine) await Promise.allSettled(loads.map((load) => load()));
}
