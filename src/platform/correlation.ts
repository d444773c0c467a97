import { AsyncLocalStorage } from 'node:async_hooks';

/** The id of the request or job that the running code serves; on every log line and every job it causes. */
export const correlation = new AsyncLocalStorage<string>();

/** Where the request came from that the running code serves; nowhere in a job. For the audit log. */
export const caller = new AsyncLocalStorage<Caller>();

export type Caller = { readonly ip: string; readonly headers: { readonly 'user-agent'?: string | undefined } };
