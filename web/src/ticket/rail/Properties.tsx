import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { TicketWithMessages } from '../../api/client.ts';
import { type CommandId, commandProps } from '../../commands.ts';
import { fullTime, snoozeTime } from '../../lib/dates.ts';
import { MemberFace, useMembers } from '../../people/MemberFace.tsx';
import { usePlace } from '../../session/Guard.tsx';
import { followersQuery } from '../../tickets/follow.ts';
import { PriorityMark, StatusDot, tagLook } from '../../tickets/Marks.tsx';
import { nameOfContact } from '../../tickets/persons.ts';
import { TagNames } from '../../tickets/TagNames.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { type WordKey, words } from '../../words/words.ts';
import { useProperties } from '../use-properties.ts';
import styles from './Rail.module.css';

type Props = { ticket: TicketWithMessages; canEdit: boolean };

/** The properties of a ticket. Each is a button that opens its picker, while the ticket can be changed. */
export function Properties({ ticket, canEdit }: Props) {
  const { workspace, assignee, team, hasTeams, mailbox, hasMailboxes } = useProperties(ticket);
  const { status, requester, assigneeId, priority, tags, snoozedUntil } = ticket;
  return (
    <section className={styles.section} aria-label={words('rail.properties')}>
      <h2 className={styles.title}>{words('rail.properties')}</h2>
      <dl className={styles.properties}>
        <Property label="ticket.status" command="status" disabled={!canEdit}>
          <StatusDot status={status} />
          {words(`status.${status}`)}
        </Property>
        {hasTeams && <TeamProperty team={team} canEdit={canEdit} />}
        <Property label="ticket.assignee" command="assign" disabled={!canEdit}>
          <MemberFace member={assignee} size={20} />
          <span className="cut" dir="auto">
            {assignee?.name ?? words(assigneeId === null ? 'ticket.nobody' : 'event.formerMember')}
          </span>
        </Property>
        <Property label="ticket.priority" command="priority" disabled={!canEdit}>
          <PriorityMark priority={priority} />
          {words(`priority.${priority}` as WordKey)}
        </Property>
        <Property label="ticket.tags" command="tags" disabled={!canEdit} isWrapping>
          <span className={tags.length === 0 ? styles.quiet : styles.tags}>
            {tags.length === 0 && words('ticket.addTags')}
            <TagNames workspaceId={workspace.id} tags={tags} className={tagLook} />
            {canEdit && tags.length > 0 && (
              <span className={styles.plus}>
                <Icon name="plus" size={14} />
              </span>
            )}
          </span>
        </Property>
        <Property label="ticket.snooze" command="snooze" disabled={!canEdit}>
          {snoozedUntil === null ? (
            <span className={styles.quiet}>{words('rail.notSnoozed')}</span>
          ) : (
            <time dateTime={snoozedUntil} title={fullTime(snoozedUntil)} className="cut">
              {snoozeTime(new Date(snoozedUntil))}
            </time>
          )}
        </Property>
        <Property label="ticket.requester" command="requester" disabled={!canEdit}>
          {requester === null ? (
            <span className={styles.quiet}>{words('rail.noRequester')}</span>
          ) : (
            <span className="cut" dir="auto" title={requester.email}>
              {nameOfContact(requester)}
            </span>
          )}
        </Property>
        {hasMailboxes && (
          <Property label="filter.mailbox" command="mailbox" disabled={!canEdit}>
            {mailbox === undefined ? (
              <span className={styles.quiet}>{words('rail.noMailbox')}</span>
            ) : (
              <span className="cut" dir="auto" title={mailbox.address}>
                {mailbox.address}
              </span>
            )}
          </Property>
        )}
        <Followers ticket={ticket} />
      </dl>
    </section>
  );
}

type TeamProps = Pick<ReturnType<typeof useProperties>, 'team'> & Pick<Props, 'canEdit'>;

function TeamProperty({ team, canEdit }: TeamProps) {
  return (
    <Property label="ticket.team" command="assign" disabled={!canEdit}>
      {team === undefined ? (
        <span className={styles.quiet}>{words('ticket.noTeam')}</span>
      ) : (
        <>
          <Icon name={team.visibility === 'members' ? 'lock' : 'team'} />
          <span className="cut" dir="auto">
            {team.name}
          </span>
        </>
      )}
    </Property>
  );
}

const facesMax = 5;

function Followers({ ticket }: { ticket: TicketWithMessages }) {
  const { workspace } = usePlace();
  const members = useMembers();
  const { data: ids } = useQuery(followersQuery(workspace.id, ticket));
  if (ids === undefined) return null;
  const known = ids.flatMap((id) => members.get(id) ?? []);
  return (
    <Property label="rail.followers" command="follow" disabled={false}>
      {known.length > 0 && (
        <span className={styles.faces} title={known.map(({ name }) => name).join('\n')}>
          <span className="visually-hidden">{known.map(({ name }) => name).join(', ')}</span>
          {known.slice(0, facesMax).map((member) => (
            <MemberFace key={member.userId} member={member} size={20} />
          ))}
        </span>
      )}
      {known.length > facesMax && <span className={styles.quiet}>+{known.length - facesMax}</span>}
      {known.length === 0 && <span className={styles.quiet}>{words('rail.noFollowers')}</span>}
    </Property>
  );
}

type PropertyProps = {
  label: WordKey;
  /** Undefined for what no command changes. */
  command?: CommandId;
  disabled?: boolean;
  /** Lets the value have several lines. */
  isWrapping?: boolean;
  children: ReactNode;
};

function Property({ label, command, disabled, isWrapping = false, children }: PropertyProps) {
  const id = useId();
  const className = isWrapping ? `${styles.value} ${styles.wrapping}` : styles.value;
  return (
    <div className={styles.property}>
      <dt id={`${id}name`}>{words(label)}</dt>
      <dd>
        {command === undefined ? (
          <span className={className}>{children}</span>
        ) : (
          <button
            type="button"
            id={id}
            className={className}
            {...commandProps(command)}
            aria-labelledby={`${id}name ${id}`}
            disabled={disabled}
          >
            {children}
          </button>
        )}
      </dd>
    </div>
  );
}
