import pg from 'pg';
import { isDatabaseAway } from '../platform/faults.ts';

/** Two transactions stood in each other's way (SQLSTATE class 40): done again, it goes well. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^40/.test(error.code ?? '');
}

/**
 * Whether the mail itself is what went wrong: its data was refused (classes 22, 23 and 54: data, constraints, limits), or
 * our own code stumbled over it. Anything else would befall every mail.
 */
export function isOfThisMail(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(22|23|54)/.test(error.code ?? '');
  return error instanceof Error && !isDatabaseAway(error);
}

/** What went wrong in a word, without anything of what the mail says. */
export function faultName(error: unknown): string {
  if (error instanceof pg.DatabaseError) return `SQLSTATE ${error.code ?? 'unknown'}`;
  return error instanceof Error ? error.name : 'unknown';
}
