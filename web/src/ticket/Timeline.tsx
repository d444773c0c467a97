import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Message, TicketEvent, TicketWithMessages } from '../api/client.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { type KnownMember, useMembers } from '../people/MemberFace.tsx';
import { useRestrictedTeams } from '../people/use-names.ts';
import { usePlace } from '../session/Guard.tsx';
import { teamsQuery, ticketEventsQuery } from '../tickets/queries.ts';
import { rulesQuery } from '../tickets/rules.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import { eventsLine } from './event-words.ts';
import { LaterFrame } from './LaterFrame.tsx';
import { HtmlMessageCard, type MessageActions, MessageCard } from './message/MessageCard.tsx';
import { MessageLine, UndoneLine } from './message/MessageLine.tsx';
import { isOpen, isUndone, type OpenMessages } from './open-messages.ts';
import styles from './Timeline.module.css';
import { type Entry, timelineOf } from './timeline.ts';

/** The frames that stay when the ticket changes. Their keys keep React from moving them, as a moved frame reloads. */
const keptFrames = 4;

type Props = Omit<MessageActions, 'onFold'> & {
  /** Undefined while the ticket loads. The frames stay meanwhile. */
  ticket: TicketWithMessages | undefined;
  messages: readonly Message[];
  open: OpenMessages;
  onOpen: (message: Message, open: boolean) => void;
  /** Puts the text of an undone answer back into the composer. */
  onRestore: ((message: Message) => void) | undefined;
};

/** Messages and events in the order of time. */
export function Timeline({ ticket, messages, open, onOpen, onRestore, ...actions }: Props) {
  const { workspace } = usePlace();
  const members = useMembers();
  const events = useQuery({
    ...ticketEventsQuery(workspace.id, ticket ?? { id: '', ticketNumber: 0 }),
    enabled: ticket !== undefined,
  }).data;
  const teams = useQuery(teamsQuery(workspace.id)).data ?? [];
  const hasRules = events?.some(({ cause }) => cause?.kind === 'rule') === true;
  const rules = useQuery({ ...rulesQuery(workspace.id), enabled: hasRules }).data ?? [];
  const names = {
    rule: (id: string) => rules.find((rule) => rule.id === id)?.name,
    member: (id: string) => members.get(id)?.name,
    team: (id: string) => teams.find((team) => team.id === id)?.name,
  };
  const rows: ReactNode[] = [];
  const entries = ticket === undefined ? [] : timelineOf(messages, events ?? []);
  const places = placesOf(entries, open);
  const card = { ...actions, onFold: (message: Message) => onOpen(message, false) };
  for (const entry of entries) {
    if (entry.kind === 'events') {
      const [first] = entry.events;
      rows.push(
        <div key={entry.id} className={styles.events}>
          <ActorFace actor={first.actor} members={members} />
          <p dir="auto">
            {eventsLine(entry.events, names)}{' '}
            <time dateTime={first.createdAt} title={fullTime(first.createdAt)}>
              {shortTime(first.createdAt)}
            </time>
          </p>
        </div>,
      );
      continue;
    }
    const { message } = entry;
    const place = places.get(message.id);
    if (place !== undefined) rows.push(<HtmlMessageCard key={`place ${place}`} message={message} {...card} />);
    else if (!isOpen(open, message)) {
      const line = { message, onOpen: () => onOpen(message, true) };
      rows.push(
        ticket !== undefined && isUndone(message) ? (
          <UndoneLine key={message.id} {...line} ticket={ticket} onRestore={onRestore} />
        ) : (
          <MessageLine key={message.id} {...line} />
        ),
      );
    } else if (message.bodyHtml === null) rows.push(<MessageCard key={message.id} message={message} {...card} />);
    else
      rows.push(
        <LaterFrame key={message.id}>
          <HtmlMessageCard message={message} {...card} />
        </LaterFrame>,
      );
  }
  for (let place = places.size; place < keptFrames; place++)
    rows.push(<HtmlMessageCard key={`place ${place}`} message={null} {...card} />);
  return (
    <section className={styles.timeline} aria-label={words('ticket.conversation')}>
      <OnlyTeam teamId={ticket?.teamId ?? null} />
      {rows}
    </section>
  );
}

/** Tells writers that few read along. */
function OnlyTeam({ teamId }: { teamId: string | null }) {
  const team = useRestrictedTeams().get(teamId ?? '');
  if (team === undefined) return null;
  return (
    <div className={styles.events}>
      <Icon name="lock" size={14} />
      <p dir="auto">{words('team.only', { team })}</p>
    </div>
  );
}

/** Gives the kept frames to the newest open HTML messages, in order. */
function placesOf(entries: readonly Entry[], open: OpenMessages): Map<string, number> {
  const ids = entries.flatMap((entry) =>
    entry.kind === 'message' && entry.message.bodyHtml !== null && isOpen(open, entry.message)
      ? [entry.message.id]
      : [],
  );
  return new Map(ids.slice(-keptFrames).map((id, place) => [id, place]));
}

type ActorProps = { actor: TicketEvent['actor']; members: ReadonlyMap<string, KnownMember> };

function ActorFace({ actor, members }: ActorProps) {
  const member = actor.userId === null ? undefined : members.get(actor.userId);
  const name = member?.name ?? actor.name;
  if (name === null) return <Icon name="history" size={14} />;
  return <Avatar name={name} of={actor.userId ?? name} isTeam={actor.type !== 'customer'} size={16} />;
}
