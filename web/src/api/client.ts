import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import { errorWords } from '../words/words.ts';
import type { components, KontorPaths, paths } from './schema.d.ts';
import { signOutFirst } from './sign-out.ts';
import { holdWhenSignedOut, RepeatableRequest } from './signed-out.ts';
import { watchVersion } from './version.ts';

/** A ticket without its messages. `unread` and `hasDraft` differ by member, so the live stream leaves them out. */
export type Ticket = components['schemas']['Ticket'] & {
  unread?: boolean;
  hasDraft?: boolean;
  /** Words of subject and snippet that the last search found. */
  matches?: string[];
};
export type TicketWithMessages = components['schemas']['TicketWithMessages'];
export type TicketEvent = components['schemas']['TicketEvent'];
/** `isBeingSent` marks a message that only this page knows until the service answers. */
export type Message = components['schemas']['Message'] & { isBeingSent?: true };
export type Attachment = components['schemas']['Attachment'];
export type Workspace = components['schemas']['Workspace'];

/** The session is in a cookie that scripts cannot read. */
export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin', Request: RepeatableRequest });
api.use(signOutFirst, watchVersion, holdWhenSignedOut);

/** An error that the API answered, with its sentence in the language of the page. */
export class ApiError extends Error {
  readonly status: number;
  readonly key: string;
  readonly params: Record<string, unknown>;
  readonly correlationId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, body: { key: string; params: Record<string, unknown>; fallbackMessage: string }) {
    super(errorWords(body));
    this.status = response.status;
    this.key = body.key;
    this.params = body.params;
    this.correlationId = response.headers.get('x-correlation-id');
    this.retryAfterSeconds = Number(response.headers.get('retry-after')) || null;
  }
}

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of a 2xx answer. @throws `ApiError` for any other status */
export async function dataOf<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer;
  if (response.ok) return data as Data; // openapi-fetch leaves `data` out only of failures
  throw new ApiError(response, isErrorBody(error) ? error : unknownBody);
}

const unknownBody = { key: 'unknown', params: {}, fallbackMessage: '' };

function isErrorBody(error: unknown): error is typeof unknownBody {
  return typeof error === 'object' && error !== null && 'key' in error && 'fallbackMessage' in error;
}

const root = '/v1/workspaces/{workspaceId}';
type Paths = {
  [Path in keyof KontorPaths as Path extends `${typeof root}${infer Rest}` ? Rest : never]: KontorPaths[Path];
};
type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a call takes: the parts of `params` stand beside the body. */
type Options<Init> = Init extends { params?: infer Params } ? Omit<Init, 'params'> & NonNullable<Params> : Init;

/** A call of an operation that resolves to the data of its answer. @throws `ApiError` where the API refuses */
type Call<Method extends Lowercase<Verb>> = <
  Path extends ClientPathsWithMethod<Client<Paths>, Method>,
  Init extends Options<NonNullable<MaybeOptionalInit<Paths[Path], Method>>>,
>(
  path: Path,
  ...init: Record<never, never> extends Init ? [Init?] : [Init]
) => Promise<MethodResponse<Client<Paths>, Method, Path>>;

/** The operations of a workspace, by their paths in it. Only `Call` knows the types of paths and options. */
export function inWorkspace(workspaceId: string): { [Method in Verb]: Call<Lowercase<Method>> } {
  const call =
    (verb: Verb) =>
    (path: string, { path: ids, query, header, ...init }: Record<string, object> = {}) => {
      const params = { path: { workspaceId, ...ids }, query, header: { ...headerOf(workspaceId), ...header } };
      const send = api[verb] as (path: string, init: object) => Promise<Answer<never>>;
      return dataOf(send(`${root}${path}`, { ...init, params }));
    };
  const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
  return Object.fromEntries(verbs.map((verb) => [verb, call(verb)])) as never;
}

/** The parameters of an operation of a workspace whose whole answer is read, with its headers. */
export function paramsIn(workspaceId: string) {
  return { path: { workspaceId }, header: headerOf(workspaceId) };
}

export function headerOf(workspaceId: string) {
  return { 'x-workspace-id': workspaceId };
}
