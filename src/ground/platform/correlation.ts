import { AsyncLocalStorage } from 'node:async_hooks';

/** The id of the current request or job. Every log line and every job that it causes carries this id. */
export const correlation = new AsyncLocalStorage<string>();

/** The caller of the current request, for the audit log; empty in a job. */
export const caller = new AsyncLocalStorage<Caller>();

export type Caller = { readonly ip: string; readonly headers: { readonly 'user-agent'?: string | undefined } };
