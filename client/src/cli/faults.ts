import { KontorError } from '../index.ts';
import { typed } from './program.ts';

/** A command that was typed wrongly: its sentence tells how to type it. */
export class UsageError extends Error {}

/** Nobody has signed in yet. */
export class SignedOutError extends Error {}

/** The exit codes that docs/client.md lists. */
export const exitCodes = { refused: 1, usage: 2, signedOut: 3, notFound: 4, unreachable: 5, interrupted: 130 } as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof SignedOutError) return exitCodes.signedOut;
  if (!(error instanceof KontorError)) return exitCodes.refused;
  if (error.status === 401) return exitCodes.signedOut;
  if (error.status === 404) return exitCodes.notFound;
  return error.status === 0 || error.status === 429 || error.status >= 500 ? exitCodes.unreachable : exitCodes.refused;
}

type Issue = { path: string; message: string };

/** The lines that tell a person what went wrong. */
export function linesOf(error: unknown): string[] {
  if (!(error instanceof KontorError)) return [error instanceof Error ? error.message : String(error)];
  const issues = Array.isArray(error.params.issues) ? (error.params.issues as Issue[]) : [];
  const log = error.status >= 500 && error.correlationId !== null ? ` [${error.correlationId}]` : '';
  return [
    `${error.message} (${error.key})${log}`,
    ...issues.map(({ path, message }) => `  ${path.replace(/^body\./, '')} ${message}`),
    ...(error.key.startsWith('auth.token_') ? [`Sign in again with "${typed('login')}".`] : []),
  ];
}
