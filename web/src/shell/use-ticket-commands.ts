import { useQuery } from '@tanstack/react-query';
import type { Ticket } from '../api/client.ts';
import { useCommands } from '../commands.ts';
import { usePlace } from '../session/Guard.tsx';
import { changeTickets, tellRefusals } from '../tickets/changes.ts';
import { toggleFollow } from '../tickets/follow.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import type { FieldChange, TicketChange } from '../tickets/ticket-change.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { openOverlay, type PropertyKind } from './overlay.ts';

type Options = {
  /** The open ticket. */
  ticket: Ticket | undefined;
  /** Whether the list shows the trash. */
  isTrash: boolean;
  /** Runs once the open ticket has loaded, for keys pressed before. */
  onceKnown: (use: (ticket: Ticket) => void) => void;
  /** Tickets selected in a list. If there are any, commands apply to them and not to the open ticket. */
  selected: () => readonly Ticket[];
  /** Changes these tickets in the list, if any are selected there. @returns whether there are */
  changeSelected: (change: TicketChange, tickets: readonly Ticket[]) => boolean;
  /** Runs after a change that finishes the ticket for now. */
  onLeave: () => void;
};

/** Registers the ticket commands, for keys, buttons and the palette. */
export function useTicketCommands({ ticket, isTrash, onceKnown, selected, changeSelected, onLeave }: Options): void {
  const { workspace, userId } = usePlace();
  const isWriter = workspace.role !== 'viewer';
  const hasMailboxes = (useQuery(mailboxesQuery(workspace.id)).data ?? []).length > 0;
  const targets = () => {
    const chosen = selected();
    return chosen.length > 0 || ticket === undefined ? chosen : [ticket];
  };
  const withTargets = (use: (tickets: readonly Ticket[]) => void) => {
    const tickets = targets();
    if (tickets.length > 0) use(tickets);
    else onceKnown((known) => use([known]));
  };
  const change = (wanted: TicketChange, tickets: readonly Ticket[]) => {
    if (refuseHidden(tickets, wanted)) return;
    if (changeSelected(wanted, tickets)) return;
    void changeTickets(workspace.id, tickets, wanted).then(tellRefusals);
    if (isLeaving(wanted)) onLeave();
  };
  const set = (fields: FieldChange) => () => withTargets((tickets) => change({ kind: 'fields', fields }, tickets));
  // The tickets that the picker shows, also once a tag has been chosen and another one follows.
  const pick = (kind: PropertyKind) => () =>
    withTargets((tickets) => {
      if (!refuseHidden(tickets)) openOverlay({ kind, tickets, onChange: (wanted) => change(wanted, tickets) });
    });
  const merge = () =>
    withTargets((tickets) => {
      if (refuseHidden(tickets)) return;
      const onMerge = (sources: readonly Ticket[], { id: targetId }: Ticket) =>
        change({ kind: 'merge', targetId }, sources);
      openOverlay({ kind: 'merge', tickets, onMerge });
    });
  const isMerged = ticket != null && ticket.mergedIntoId !== null;
  useCommands({
    palette: () => openOverlay({ kind: 'palette', tickets: targets() }),
    ...(isWriter && {
      close: set({ status: 'closed' }),
      reopen: set({ status: 'open' }),
      pend: set({ status: 'pending' }),
      status: pick('status'),
      assign: pick('assign'),
      assignToMe: set({ assigneeId: userId }),
      snooze: pick('snooze'),
      tags: pick('tags'),
      priority: pick('priority'),
      mailbox: hasMailboxes ? pick('mailbox') : undefined,
      requester: ticket === undefined || isMerged ? undefined : () => pickRequester(ticket, selected()),
      merge,
      unmerge: isMerged ? () => withTargets((tickets) => change({ kind: 'unmerge', before: {} }, tickets)) : undefined,
      split: ticket === undefined ? undefined : () => openOverlay({ kind: 'split', ticketNumber: ticket.ticketNumber }),
      archive: () =>
        withTargets((tickets) => set({ archive: tickets.some(({ archivedAt }) => archivedAt === null) })()),
      trash: () => withTargets((tickets) => set({ trash: tickets.some(({ trashedAt }) => trashedAt === null) })()),
      spam: () => withTargets((tickets) => set({ spam: tickets.some(({ spamAt }) => spamAt == null) })()),
      block: () => withTargets((tickets) => block(tickets, tickets[0] === ticket ? onLeave : undefined)),
    }),
    purge:
      workspace.role === 'owner' && (isTrash || ticket?.trashedAt != null)
        ? () => withTargets((tickets) => openOverlay({ kind: 'purge', tickets }))
        : undefined,
    follow: ticket === undefined ? undefined : () => void toggleFollow(workspace.id, ticket, userId),
  });
}

/**
 * Says that tickets in the trash only come out, and that spam only changes back or goes to the trash.
 * @returns whether the change is refused
 */
function refuseHidden(tickets: readonly Ticket[], change?: TicketChange): boolean {
  const fields = change?.kind === 'fields' ? change.fields : {};
  const isTrashed = fields.trash === undefined && tickets.some(({ trashedAt }) => trashedAt != null);
  const isSpam = (fields.trash ?? fields.spam) === undefined && tickets.some(({ spamAt }) => spamAt != null);
  if (isTrashed || isSpam) showToast(words(isTrashed ? 'trash.takeOutFirst' : 'spam.unmarkFirst'), { isBad: true });
  return isTrashed || isSpam;
}

/** A requester is chosen for one ticket. */
function pickRequester(open: Ticket, selected: readonly Ticket[]): void {
  const [ticket = open, ...others] = selected;
  if (others.length > 0) showToast(words('change.oneRequester'), { isBad: true });
  else if (!refuseHidden([ticket])) openOverlay({ kind: 'requester', tickets: [ticket] });
}

/**
 * Asks what to block: the addresses of the requesters, or their domains.
 * @param onLeave goes on after the open ticket, unless it was spam already
 */
function block(tickets: readonly Ticket[], onLeave: (() => void) | undefined): void {
  if (tickets.some(({ trashedAt }) => trashedAt != null)) showToast(words('trash.takeOutFirst'), { isBad: true });
  else if (tickets.some(({ requester }) => requester === null)) showToast(words('spam.noSender'), { isBad: true });
  else
    openOverlay({
      kind: 'block',
      tickets,
      onDone: tickets.every(({ spamAt }) => spamAt != null) ? undefined : onLeave,
    });
}

/** Whether this change finishes the ticket for now. */
function isLeaving(change: TicketChange): boolean {
  // A merge leads to its target.
  if (change.kind !== 'fields') return false;
  const { status, snoozedUntil, archive, trash, spam } = change.fields;
  const isFinished = status === 'closed' || status === 'pending' || [archive, trash, spam].includes(true);
  return isFinished || typeof snoozedUntil === 'string';
}
