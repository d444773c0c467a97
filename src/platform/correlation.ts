import { AsyncLocalStorage } from 'node:async_hooks';

/** The id of the request or job that the running code serves; on every log line and every job it causes. */
export const correlation = new AsyncLocalStorage<string>();
