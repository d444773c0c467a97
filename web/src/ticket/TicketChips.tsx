import type { ReactNode } from 'react';
import type { TicketWithMessages } from '../api/client.ts';
import { type CommandId, commandProps } from '../commands.ts';
import { fullTime, snoozeTime } from '../lib/dates.ts';
import { MemberFace } from '../people/MemberFace.tsx';
import { chipLook, PriorityMark, StatusDot, tagLook } from '../tickets/Marks.tsx';
import { TagNames } from '../tickets/TagNames.tsx';
import { Icon } from '../ui/Icon.tsx';
import { type WordKey, words } from '../words/words.ts';
import styles from './TicketHead.module.css';
import { useProperties } from './use-properties.ts';

type Props = { ticket: TicketWithMessages; canEdit: boolean };

/** The properties in one line that scrolls sideways, where there is no room for the rail. */
export function TicketChips({ ticket, canEdit }: Props) {
  const { workspace, assignee, mailbox, hasMailboxes } = useProperties(ticket);
  const { status, assigneeId, priority, tags, snoozedUntil } = ticket;
  return (
    <div role="group" className={styles.chips} aria-label={words('rail.properties')}>
      <Chip label="ticket.status" command="status" disabled={!canEdit}>
        <StatusDot status={status} />
        {words(`status.${status}`)}
      </Chip>
      <Chip label="ticket.assignee" command="assign" disabled={!canEdit}>
        <MemberFace member={assignee} size={20} />
        {assignee?.name ?? words(assigneeId === null ? 'ticket.nobody' : 'event.formerMember')}
      </Chip>
      <Chip label="ticket.priority" command="priority" disabled={!canEdit}>
        <PriorityMark priority={priority} />
        {words(`priority.${priority}` as WordKey)}
      </Chip>
      <Chip label="ticket.tags" command="tags" disabled={!canEdit}>
        {tags.length === 0 ? (
          <>
            <Icon name="tag" />
            {words('ticket.addTags')}
          </>
        ) : (
          <TagNames workspaceId={workspace.id} tags={tags} className={tagLook} />
        )}
      </Chip>
      <Chip label="ticket.snooze" command="snooze" disabled={!canEdit} isForPhone={snoozedUntil === null}>
        <Icon name="snooze" />
        {snoozedUntil === null ? (
          words('rail.notSnoozed')
        ) : (
          <time dateTime={snoozedUntil} title={fullTime(snoozedUntil)}>
            {snoozeTime(new Date(snoozedUntil))}
          </time>
        )}
      </Chip>
      {hasMailboxes && (
        <Chip label="filter.mailbox" command="mailbox" disabled={!canEdit}>
          <Icon name="mail" />
          {mailbox?.address ?? words('rail.noMailbox')}
        </Chip>
      )}
    </div>
  );
}

type ChipProps = {
  label: WordKey;
  command: CommandId;
  disabled: boolean;
  /** Wider heads have a button for it. */
  isForPhone?: boolean;
  children: ReactNode;
};

function Chip({ label, command, disabled, isForPhone = false, children }: ChipProps) {
  return (
    <button
      type="button"
      className={chipLook}
      data-phone={isForPhone || undefined}
      {...commandProps(command)}
      disabled={disabled}
    >
      <span className="visually-hidden">{words(label)} </span>
      {children}
    </button>
  );
}
