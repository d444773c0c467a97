import { useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import type { Ticket } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { nameOfContact } from '../../tickets/persons.ts';
import { foundTicketsQuery } from '../../tickets/queries.ts';
import { useRows } from '../../tickets/use-ticket-list.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay, type Overlay } from '../overlay.ts';
import styles from './MergeForm.module.css';
import { MergeForm } from './MergeForm.tsx';
import { type Choice, Picker } from './Picker.tsx';

/**
 * Merges a ticket with another one that is chosen here, tickets of the same person first. Several selected tickets
 * merge with each other. The person sees them all, and chooses which of them stays.
 */
export function MergePicker({ tickets, onMerge }: Extract<Overlay, { kind: 'merge' }>) {
  const [other, setOther] = useState<Ticket>();
  const [isChoosing, setIsChoosing] = useState(tickets.length === 1);
  const choose = (ticket: Ticket) => {
    setOther(ticket);
    setIsChoosing(false);
  };
  if (isChoosing) return <OtherPicker sources={tickets} onChoose={choose} />;
  const all = other === undefined ? oldestFirst(tickets) : [other, ...tickets];
  const merge = (kept: Ticket) => {
    closeOverlay();
    onMerge(
      all.filter(({ id }) => id !== kept.id),
      kept,
    );
    navigate(paths.ticket(kept.ticketNumber, window.location.search.slice(1)));
  };
  return <MergeForm tickets={all} onOther={() => setIsChoosing(true)} onMerge={merge} />;
}

function oldestFirst(tickets: readonly Ticket[]): Ticket[] {
  return [...tickets].sort((a, b) => a.ticketNumber - b.ticketNumber);
}

function OtherPicker({ sources, onChoose }: { sources: readonly Ticket[]; onChoose: (ticket: Ticket) => void }) {
  const { workspace } = usePlace();
  const rows = useRows(workspace.id);
  const [text, setText] = useState('');
  const email = sources[0]?.requester?.email;
  const ofPerson = useQuery(foundTicketsQuery(workspace.id, email ?? '')).data ?? [];
  const sought = useDeferredValue(text.trim());
  const {
    data: found = [],
    isPlaceholderData: areOfEarlier,
    isFetching,
  } = useQuery(foundTicketsQuery(workspace.id, sought));
  const ofWords = useCallback(() => words(isFetching ? 'loading' : 'merge.nothing'), [isFetching]);
  const sourceIds = new Set(sources.map(({ id }) => id));
  const known = new Map(
    [...[...rows.values()].map(({ shown }) => shown), ...ofPerson, ...found].map((row) => [row.id, row]),
  );
  const others = [...known.values()].filter((ticket) => isMergeable(ticket) && !sourceIds.has(ticket.id));
  const isTheirs = ({ requester }: Ticket) => email !== undefined && requester?.email === email;
  const choice = (ticket: Ticket): Choice => ({
    id: ticket.id,
    text: `#${ticket.ticketNumber} ${ticket.subject}`,
    mark: (
      <Avatar
        name={ticket.requester === null ? words('app') : nameOfContact(ticket.requester)}
        of={ticket.requester?.email ?? ''}
        size={20}
      />
    ),
    detail: factsOf(ticket).join(' · '),
    // The service also finds word forms, so its results match the text that it was asked for.
    ...(!areOfEarlier && found.some(({ id }) => id === ticket.id) ? { also: sought } : {}),
    run: () => onChoose(ticket),
  });
  return (
    <Picker
      label={words('command.merge')}
      placeholder={words('picker.merge')}
      onWords={setText}
      ofWords={ofWords}
      head={
        <p className={`${styles.with} cut`} dir="auto">
          {words('merge.with', { what: namesOf(sources) })}
        </p>
      }
      groups={[
        { name: words('merge.samePerson'), choices: others.filter(isTheirs).map(choice) },
        { name: words('list.tickets'), choices: others.filter((ticket) => !isTheirs(ticket)).map(choice) },
      ]}
    />
  );
}

/** The service merges neither spam nor tickets in the trash. */
const isMergeable = ({ mergedIntoId, spamAt, trashedAt }: Ticket) =>
  mergedIntoId === null && spamAt === null && trashedAt === null;

/** Who asks, at which address, and whether somebody has closed it. */
function factsOf({ requester, status }: Ticket): string[] {
  const name = requester === null ? undefined : nameOfContact(requester);
  const isNamed = requester !== null && name !== requester.email && requester.name !== null;
  return [...(name === undefined ? [] : [name]), ...(isNamed ? [requester.email] : []), words(`status.${status}`)];
}

function namesOf(tickets: readonly Ticket[]): string {
  const [first, ...more] = tickets;
  if (first === undefined || more.length > 0) return words('change.tickets', { count: tickets.length });
  return `#${first.ticketNumber} ${first.subject}`;
}
