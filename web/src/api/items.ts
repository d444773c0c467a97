import type { InfiniteData } from '@tanstack/react-query';

/** `select` of an infinite query: the items of all loaded pages. */
export function itemsOf<Item>({ pages }: InfiniteData<{ items: Item[] }>): Item[] {
  return pages.flatMap(({ items }) => items);
}
