import { AppError } from '../lib/errors.ts';
import type { Logger } from '../platform/log.ts';

/** What is known of an error of the SDK: with a status the store has spoken, without one nobody has. */
type BucketError = Error & { $metadata?: { httpStatusCode?: number }; code?: unknown };

/** A 404 for a key; without a body, as HEAD has none, its name is another. That of a missing bucket is a fault. */
export function isMissing(error: unknown): boolean {
  const { name } = error as BucketError;
  return name === 'NoSuchKey' || name === 'NotFound';
}

/** As the disk tells of a file that is not there. */
export function missingBlob(key: string): Error {
  return Object.assign(new Error(`there is no blob ${key}`), { code: 'ENOENT' });
}

/**
 * A bucket that is out of reach, overloaded or broken gets better by itself: 503, told in the log. What it refuses (no
 * permission, no such bucket) does not, and stays the error that it is.
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
