import type { Ticket } from '../api/client.ts';

/** Merged tickets, spam and tickets in the trash only change back. */
export function isEditable({ mergedIntoId, trashedAt, spamAt }: Ticket, role: string): boolean {
  return role !== 'viewer' && mergedIntoId === null && trashedAt === null && spamAt == null;
}
