import pg from 'pg';

/**
 * Connection refused, cut or not to be had in time, the server starting up or shutting down (SQLSTATE classes 08, 53 and
 * 57P), or others in the way at each of several tries (40).
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|40|53|57P|57014)/.test(error.code ?? '');
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'ENOENT' || code === 'EPIPE')
    return isConnectFault(error);
  return /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Cannot use a pool after/.test(
    message ?? '',
  );
}

function isConnectFault(error: unknown): boolean {
  const { syscall } = error as { syscall?: string };
  return syscall === 'connect' || syscall === 'read' || syscall === 'write';
}

/** The name of the constraint that a statement broke, if that is what failed. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}
