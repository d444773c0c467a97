import { useQuery } from '@tanstack/react-query';
import type { Ticket } from '../api/client.ts';
import { type CommandId, keysOf } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { usePlace } from '../session/Guard.tsx';
import { matchingCountQuery } from '../tickets/bulk/bulk-changes.ts';
import { commandWordsFor } from '../tickets/command-words.ts';
import type { ListParameters } from '../tickets/lists.ts';
import { nameOfContact } from '../tickets/persons.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { words } from '../words/words.ts';
import styles from './NothingOpen.module.css';

/** The selected tickets of a list. With `except`, everything that matches the list is selected, but these. */
export type ChosenTickets = { tickets: readonly Ticket[]; except: ReadonlySet<string> | undefined };

const shownMax = 6;

/** Stands in the place of the ticket while tickets are selected and none is open: which they are, and what keys do. */
export function Chosen({ tickets, except, list }: ChosenTickets & { list: ListParameters }) {
  const count = useChosenCount(tickets.length, { list, except });
  const rest = (count ?? tickets.length) - Math.min(tickets.length, shownMax);
  return (
    <div className={styles.pane}>
      <div className={styles.column}>
        <div>
          <h2>{count === undefined ? words('bulk.counting') : words('bulk.heading', { count })}</h2>
          <p className={styles.lead}>{words('bulk.lead')}</p>
        </div>
        <div className={styles.card}>
          {tickets.slice(0, shownMax).map((ticket) => (
            <Line key={ticket.id} ticket={ticket} />
          ))}
          {rest > 0 && <p className={styles.line}>{words('bulk.more', { count: rest })}</p>}
        </div>
        <Keys tickets={tickets} />
      </div>
    </div>
  );
}

function Line({ ticket: { id, requester, subject } }: { ticket: Ticket }) {
  const person = requester === null ? words('app') : nameOfContact(requester);
  return (
    <p className={styles.line}>
      <Avatar name={person} of={requester?.email ?? id} size={24} />
      <span className={styles.person} dir="auto">
        {person}
      </span>
      <span className={styles.subject} dir="auto">
        {subject}
      </span>
    </p>
  );
}

type Matching = { list: ListParameters; except: ReadonlySet<string> | undefined };

/** @returns undefined while everything that matches is being counted */
function useChosenCount(loaded: number, { list, except }: Matching): number | undefined {
  const { workspace } = usePlace();
  const matching = { list, exceptIds: [...(except ?? [])] };
  const { data } = useQuery({ ...matchingCountQuery(workspace.id, matching), enabled: except !== undefined });
  return except === undefined ? loaded : data;
}

/** Tickets in the trash or in spam do not change until they have left it. */
function commandsFor(tickets: readonly Ticket[]): readonly CommandId[] {
  if (tickets.every(({ trashedAt }) => trashedAt != null)) return ['trash'];
  if (tickets.every(({ spamAt }) => spamAt != null)) return ['spam', 'trash'];
  return ['close', 'assign', 'snooze', 'tags', 'priority', 'archive', 'spam', 'trash'];
}

/** The keys that change the selected tickets, as this person has set them. The bar of the list has the buttons. */
function Keys({ tickets }: { tickets: readonly Ticket[] }) {
  return (
    <p className={styles.keys}>
      {commandsFor(tickets).map((command) => {
        const [key] = keysOf(command);
        return (
          key !== undefined && (
            <span key={command}>
              <kbd>{keyWords(key)}</kbd> {commandWordsFor(command, tickets)}
            </span>
          )
        );
      })}
    </p>
  );
}
