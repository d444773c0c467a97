import createClient from 'openapi-fetch';
import { errorWords } from '../words/words.ts';
import type { components, paths } from './schema.d.ts';
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

/** The parameters of every operation of a workspace. */
export function inWorkspace(workspaceId: string) {
  return { path: { workspaceId }, header: { 'x-workspace-id': workspaceId } };
}
