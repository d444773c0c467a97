import { dataOf } from './client.ts';

type Answer<Item> = { data?: Item[]; error?: unknown; response: Response };

/** The cursor of the next page in the `Link` header (RFC 8288). */
export function nextCursor({ headers }: Response): string | undefined {
  const address = /<([^<>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (address === undefined) return undefined;
  return new URL(address, window.location.origin).searchParams.get('cursor') ?? undefined;
}

/** For an infinite query: the first page has no cursor, and each page names the next. */
export const byCursor = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }: { nextCursor?: string | undefined }) => nextCursor,
};

/** Every item of a list that is short by its nature, such as the members of a workspace. */
export async function allPages<Item>(
  read: (page: { limit: number; cursor?: string }) => Promise<Answer<Item>>,
  limit = 500,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const asked = read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...(await dataOf(asked)));
    cursor = nextCursor((await asked).response);
  } while (cursor !== undefined);
  return items;
}
