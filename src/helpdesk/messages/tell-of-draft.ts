import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import type { DraftKind } from './draft-schema.ts';

/**
 * Signals the member's other tabs that a draft was saved or deleted, and colleagues that a draft was begun or deleted.
 * The signal never carries the text. Call it after the commit.
 * @param draft without a version if it was deleted
 */
export function tellOfDraft(
  live: Live,
  { workspaceId, userId }: Actor,
  {
    id,
    ticketId,
    kind,
    version = null,
  }: { id: string; ticketId: TicketId | null; kind: DraftKind; version?: number | null },
): void {
  const data = { draftId: id, ticketId, kind, userId, version };
  const isForAll = ticketId !== null && (version === null || version === 1);
  live.signal({ workspaceId, userId: isForAll ? null : userId, event: 'draft', data });
}
