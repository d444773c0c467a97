import type { Client, ClientPathsWithMethod } from 'openapi-fetch';
import { errorOf, unknownAnswer } from './error.ts';
import type { KontorPaths } from './paths.ts';

type Answer<Path extends keyof KontorPaths> = KontorPaths[Path]['get'] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
type ItemIn<Body> = Body extends readonly (infer Item)[]
  ? Item
  : Body extends { items: readonly (infer Item)[] }
    ? Item
    : never;

export type ItemOf<Path extends keyof KontorPaths> = ItemIn<Answer<Path>>;
/** The paths of lists. */
export type PagedPath = {
  [Path in ClientPathsWithMethod<Client<KontorPaths>, 'get'>]: [ItemOf<Path>] extends [never] ? never : Path;
}[ClientPathsWithMethod<Client<KontorPaths>, 'get'>];

type Init = { params?: { query?: Record<string, unknown> } };
type Page<Item> = Item[] | { items: Item[]; nextCursor?: string };

/** Reads a list page by page: by the `Link` header of arrays (RFC 8288), and by the `nextCursor` of other lists. */
export async function* pagesOf<Path extends PagedPath>(
  request: Client<KontorPaths>['request'],
  path: Path,
  init: Init | undefined,
): AsyncGenerator<ItemOf<Path>, void, void> {
  let cursor: string | undefined;
  const seen = new Set<string>();
  do {
    const query = { ...init?.params?.query, ...(cursor !== undefined && { cursor }) };
    const asked = { ...init, params: { ...init?.params, query } };
    // The type of `pages` has checked path and options.
    const { data, error, response } = await request('get', path as never, asked as never);
    if (!response.ok) throw errorOf(response, error);
    const page = data as unknown as Page<ItemOf<Path>> | undefined;
    const items = Array.isArray(page) ? page : page?.items;
    if (!Array.isArray(items)) throw unknownAnswer('it is no list');
    yield* items;
    cursor = Array.isArray(page) ? cursorOf(response) : page?.nextCursor;
    // Otherwise a server that repeats itself would never let a program end.
    if (cursor !== undefined && seen.has(cursor)) throw unknownAnswer('the list comes back to a page that it had');
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}

/** Only the cursor of the next address is used, so that no answer can lead to another server. */
function cursorOf({ headers }: Response): string | undefined {
  const address = /<([^<>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (address === undefined) return undefined;
  return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined;
}
