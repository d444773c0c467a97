import createApi, {
  type Client,
  type ClientPathsWithMethod,
  defaultPathSerializer,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import { type Auth, credentialsOf } from './credentials.ts';
import { errorOf, unknownAnswer } from './error.ts';
import { type EventOptions, type LiveEvent, readEvents } from './events.ts';
import { type ItemOf, type PagedPath, pagesOf } from './pages.ts';
import type { KontorPaths } from './paths.ts';
import { type RetryOptions, sender } from './send.ts';
import { type Attachment, type UploadOptions, upload } from './upload.ts';

export type ClientOptions = {
  /** The address of the service, such as `https://support.example.org`. */
  url: string;
  /** An API key, an access token, or the store of a session. Without it, a browser sends its cookie. */
  auth?: Auth;
  /** The workspace of all calls that do not name another. */
  workspaceId?: string;
  retries?: RetryOptions;
  /** In place of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
};

type Api = Client<KontorPaths>;
type Init = { params?: { path?: Record<string, unknown> }; parseAs?: string };
type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A call that resolves to the data of a 2xx answer, and throws `KontorError` otherwise. */
type Call<Method extends Verb> = <
  Path extends ClientPathsWithMethod<Api, Method>,
  Init extends MaybeOptionalInit<KontorPaths[Path], Method>,
>(
  path: Path,
  ...init: undefined extends Init ? [Init?] : [Init]
) => Promise<OrNothing<MethodResponse<Api, Method, Path, Init>>>;

/** An answer without a body has no type. */
type OrNothing<Data> = [Data] extends [never] ? undefined : Data;

export type KontorClient = {
  [Method in Verb]: Call<Method>;
} & {
  /** The same calls, which answer `{ data, error, response }`: for headers, and for errors as values. */
  request: Api['request'];
  /** Every item of a list, page after page. `limit` is the size of a page. */
  pages<Path extends PagedPath, Init extends MaybeOptionalInit<KontorPaths[Path], 'get'>>(
    path: Path,
    ...init: undefined extends Init ? [Init?] : [Init]
  ): AsyncGenerator<ItemOf<Path>, void, void>;
  /** The live events of the workspace. Continues after breaks until `signal` aborts or the right to read ends. */
  events(options?: EventOptions): AsyncGenerator<LiveEvent, void, void>;
  /** Uploads a file for a message of the ticket, or without one for any message, new ticket or draft. */
  upload(file: Blob, options?: UploadOptions): Promise<Attachment>;
};

/** Opens a client of one service. Holds no connection, so it needs no closing. */
export function createClient(options: ClientOptions): KontorClient {
  const { url, auth, workspaceId, retries = {}, fetch: send = (request) => fetch(request) } = options;
  const withCredentials = sender({ fetch: send, credentials: credentialsOf(auth, url, send), retries });
  const api = createApi<KontorPaths>({ baseUrl: url, redirect: 'manual' });
  const request = (async (method: Verb, path: string, init: Init = {}) => {
    const own = { isStream: init.parseAs === 'stream' };
    const fetchOne = (one: Request) => withCredentials(() => one.clone(), own);
    const params = {
      ...init.params,
      path: { ...(workspaceId !== undefined && { workspaceId }), ...init.params?.path },
    };
    // Typed by `Api`: here the path is text, and the options are an object.
    const call = api.request(
      method,
      path as never,
      {
        fetch: fetchOne,
        ...init,
        params,
        pathSerializer: filled,
      } as never,
    );
    return call.catch((error: unknown) => {
      throw error instanceof SyntaxError ? unknownAnswer('it is not JSON', error) : error;
    });
  }) as Api['request'];
  const addressIn = (path: string, own?: string) =>
    new URL(filled(`/v1/workspaces/{workspaceId}${path}`, { workspaceId: own ?? workspaceId }), url);
  const call = (method: Verb) => async (path: string, init?: object) => {
    const { data, error, response } = await request(method, path as never, init as never);
    if (!response.ok) throw errorOf(response, error);
    return data;
  };
  return {
    request,
    get: call('get') as Call<'get'>,
    post: call('post') as Call<'post'>,
    put: call('put') as Call<'put'>,
    patch: call('patch') as Call<'patch'>,
    delete: call('delete') as Call<'delete'>,
    pages: (path, ...init) => pagesOf(request, path, init[0]),
    events: (own = {}) => readEvents(withCredentials, addressIn('/events/stream', own.workspaceId), own),
    upload: (file, own = {}) => upload(withCredentials, file, { ...own, addressIn }),
  };
}

function filled(path: string, given: Record<string, unknown>): string {
  const text = defaultPathSerializer(path, given);
  const missing = /\{(\w+)\}/.exec(text)?.[1];
  if (missing !== undefined) throw new TypeError(`${path} needs a ${missing}.`);
  return text;
}
