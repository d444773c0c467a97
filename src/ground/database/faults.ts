import pg from 'pg';

/**
 * Whether the database is temporarily unavailable: the connection was refused, lost or timed out, the server is
 * starting or stopping (SQLSTATE classes 08, 53 and 57P), its files or programs are out of reach (58), or a node of its
 * cluster was lost. A cancelled statement
 * (57014) counts too, and so do repeated conflicts with other transactions (40).
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return (
      /^(08|40|53|57P|57014|58)/.test(error.code ?? '') || (error.code === 'XX000' && lostNode.test(error.message))
    );
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'ENOENT' || code === 'EPIPE')
    return isConnectFault(error);
  return driverFaults.test(message ?? '');
}

/** Whether the server cannot write, because its disk is full. PostgreSQL names it only in some of its messages. */
export function isDatabaseDiskFull(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && (error.code === '53100' || /No space left|disk quota/i.test(error.message))
  );
}

/** What Citus and PostgreSQL say, as of a defect, when another node or the server itself has just died. */
const lostNode =
  /failure on connection marked as essential|could not commit transaction for shard|postmaster (was shut down|exit)/;

/** Messages of `pg`, whose own errors have no code. */
const driverFaults = new RegExp(
  'timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|' +
    'Cannot use a pool after',
);

function isConnectFault(error: unknown): boolean {
  const { syscall } = error as { syscall?: string };
  return syscall === 'connect' || syscall === 'read' || syscall === 'write';
}

/**
 * The name of the constraint that a statement violated, or undefined for other errors. Citus names it only at the end
 * of the message, followed by the number of the shard.
 */
export function brokenConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('23')) return undefined;
  const name = error.constraint ?? /"([^"]+)"$/.exec(error.message)?.[1];
  return name?.replace(/_\d{6,}$/, '');
}

/** What PostgreSQL says of values that it refuses (SQLSTATE classes 22, 23 and 54); undefined for other errors. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const { code = '', detail } = error;
  if (!/^(22|23|54)/.test(code) && !(code === 'XX000' && violation.test(error.message))) return undefined;
  // For other violations, the detail is the whole row.
  const isOfKeys = code === '23503' || code === '23505';
  const sentence = isOfKeys && detail !== undefined ? `${error.message}: ${detail}` : error.message;
  return sentence.replace(shardNumber, '"');
}

/** Citus copies the rows of some inserts to the nodes, and then reports a violation as a defect. */
const violation = /violates (not-null|unique|foreign key|check) constraint/;
/** Citus names the shard of a table. */
const shardNumber = /_\d{6,}"/g;
