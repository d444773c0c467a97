import { isDatabaseAway } from '../../ground/database/faults.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { ProviderFault } from '../../mail/provider-fault.ts';

/**
 * Whether this mail caused the fault: the database refused its data (SQLSTATE classes 22, 23 and 54: data,
 * constraints, limits), or our own code failed on it. Other faults would affect every mail, such as an unreachable
 * bucket or a stop of the service.
 */
export function isOfThisMail(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return /^(22|23|54)/.test(state);
  return error instanceof Error && !(error instanceof AppError) && !isDatabaseAway(error);
}

/** A short name of the fault that reveals nothing of a mail's content. */
export function faultName(error: unknown): string {
  if (error instanceof ProviderFault) return error.code;
  const state = sqlStateOf(error);
  if (state !== undefined) return `SQLSTATE ${state}`;
  return error instanceof Error ? error.name : 'unknown';
}

function sqlStateOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
