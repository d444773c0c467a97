export type Paging = {
  /** Skips this many entries, which the caller has already. */
  after?: number;
  /** The largest number of entries. A long run has more than fit into one JSON text (512 MB in V8). */
  most?: number;
};

export function pageOf<Item>(list: readonly Item[], { after = 0, most = Number.POSITIVE_INFINITY }: Paging): Item[] {
  return list.slice(after, after + most);
}
