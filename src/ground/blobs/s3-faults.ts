import { AppError } from '../lib/errors.ts';
import type { Logger } from '../platform/log.ts';

/** An error of the SDK. With a status it is the store's answer, without one the store did not answer. */
type BucketError = Error & { $metadata?: { httpStatusCode?: number }; code?: unknown };

/**
 * Whether the error means that a key does not exist. HEAD answers have no body, so their error has another name. A
 * missing bucket is a fault instead.
 */
export function isMissing(error: unknown): boolean {
  const { name } = error as BucketError;
  return name === 'NoSuchKey' || name === 'NotFound';
}

/** The error that the disk gives for a missing file. */
export function missingBlob(key: string): Error {
  return Object.assign(new Error(`there is no blob ${key}`), { code: 'ENOENT' });
}

/**
 * Turns an unreachable, overloaded or broken bucket into a logged 503, because such faults pass. Refusals (no
 * permission, no such bucket) do not pass, so their errors stay unchanged.
 */
export function asBucketFault(error: unknown, log: Logger): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const status = (error as BucketError).$metadata?.httpStatusCode;
  const isOurs = (error as BucketError).code === 'ENOENT' || (status === undefined && !isOfTheNetwork(error));
  if (isOurs || (status !== undefined && status < 500 && status !== 429)) return error;
  log.warn({ err: error }, 'the bucket did not answer');
  return new AppError('unavailable', {}, { cause: error, headers: { 'retry-after': '5' } });
}

function isOfTheNetwork(error: BucketError): boolean {
  return (
    error.name === 'TimeoutError' ||
    error.name === 'NetworkingError' ||
    /^(?:E(?:CONN|HOST|NET|TIMEDOUT|PIPE|AI_AGAIN)|ENOTFOUND|UND_ERR)/.test(String(error.code ?? ''))
  );
}
