import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useDeferredValue, useEffect, useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { askForFocus } from '../lib/asked-focus.ts';
import { keepSearch, recentSearches } from '../lib/recent-searches.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { looker } from '../tickets/list-places.ts';
import { listDefault, writeList } from '../tickets/lists.ts';
import { mailboxesQuery, membersQuery, tagListQuery, teamsQuery } from '../tickets/queries.ts';
import type { completionsOf } from '../tickets/query/query-completions.ts';
import { type QueryNames, readQuery } from '../tickets/query/query-words.ts';
import { useRows } from '../tickets/use-ticket-list.ts';
import { IconButton } from '../ui/Button.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { showToast } from '../ui/toast.ts';
import { inOrder, words } from '../words/words.ts';
import styles from './SearchBox.module.css';
import { cachedHits, listOfQuery } from './search-list.ts';

const hitsMax = 6;

/** The names that operators can use, and what completes the last word of a text. */
type Names = QueryNames & { completions: (text: string) => readonly string[] };
type Option = { key: string; kind: 'recent' | 'word' | 'ticket'; text: string; detail?: string; choose: () => void };

type Props = { ref: RefObject<HTMLInputElement | null>; search: string; onClose: () => void };

/** Searches with operators. Typing finds loaded tickets; Enter asks the service. */
export function SearchBox({ ref: box, search, onClose }: Props) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const id = useId();
  const [text, setText] = useState(search);
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const names = useQueryNames(workspace.id, isOpen);

  const type = (typed: string) => {
    setText(typed);
    setActive(-1);
    setIsOpen(true);
  };
  const leave = (to: string) => {
    setIsOpen(false);
    onClose();
    box.current?.blur();
    navigate(to);
  };
  const submit = useSubmit(names, leave);
  const options = useOptions(text, { complete: type, submit, leave, workspaceId: workspace.id, names });
  const onKeyDown = keysOf({ box, options, active, setActive, isOpen, setIsOpen });
  const isShown = isOpen && options.length > 0;
  return (
    <form
      role="search"
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit(text);
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (currentTarget.parentElement?.contains(relatedTarget) === true) return;
        setIsOpen(false);
        if (text === '') onClose();
      }}
    >
      <Icon name="search" />
      <input
        className="bare-field"
        ref={box}
        type="search"
        dir="auto"
        name="search"
        role="combobox"
        autoComplete="off"
        aria-label={words('list.search')}
        aria-keyshortcuts="/"
        aria-expanded={isShown}
        aria-controls={`${id}-options`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        placeholder={words('search.placeholder')}
        value={text}
        onChange={(event) => type(event.target.value)}
        onFocus={() => setIsOpen(true)}
        onKeyDown={onKeyDown}
      />
      <IconButton
        icon="close"
        className={styles.clear}
        aria-label={words('search.clear')}
        onClick={() => leave(paths.inbox)}
      />
      <OptionList id={id} options={options} active={active} isShown={isShown} />
    </form>
  );
}

/** Shows the list of a query, or opens the ticket whose number was typed. Tells of operators without meaning. */
function useSubmit(names: Names, leave: (to: string) => void) {
  const { workspace } = usePlace();
  return (wanted: string) => {
    const query = readQuery(wanted.trim(), names);
    if (query.number !== undefined) return leave(paths.ticket(query.number));
    const { list, unknown } = listOfQuery(query);
    if (unknown.length > 0) showToast(words('search.unknown', { words: unknown.join(' ') }), { isBad: true });
    if (wanted.trim() !== '') keepSearch(workspace.id, wanted.trim());
    leave(paths.list(writeList(wanted.trim() === '' ? listDefault : list)));
    askForFocus();
  };
}

type KeyOptions = {
  box: RefObject<HTMLInputElement | null>;
  options: readonly Option[];
  active: number;
  setActive: (active: number) => void;
  isOpen: boolean;
  setIsOpen: (isOpen: boolean) => void;
};

function keysOf({ box, options, active, setActive, isOpen, setIsOpen }: KeyOptions) {
  return (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && options.length > 0) {
      event.preventDefault();
      setIsOpen(true);
      // The cycle of options has one more place: the box itself, as -1.
      setActive(((active + 1 + by + options.length + 1) % (options.length + 1)) - 1);
    }
    if (event.key === 'Escape') {
      event.stopPropagation();
      // The browser would empty the box, which opens the options again.
      event.preventDefault();
      if (isOpen && options.length > 0) setIsOpen(false);
      else box.current?.blur();
    }
    if (event.key === 'Enter' && isOpen && options[active] !== undefined) {
      event.preventDefault();
      options[active].choose();
    }
  };
}

const iconOf: Record<Option['kind'], IconName> = { recent: 'history', word: 'search', ticket: 'mail' };

type ListProps = { id: string; options: readonly Option[]; active: number; isShown: boolean };

function OptionList({ id, options, active, isShown }: ListProps) {
  return (
    <div
      id={`${id}-options`}
      role="listbox"
      aria-label={words('search.suggestions')}
      className={styles.options}
      hidden={!isShown}
    >
      {isShown &&
        options.map((option, at) => (
          <div
            key={option.key}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            className={styles.option}
            // Choosing on mouse down, with its default prevented, keeps the focus in the box.
            onMouseDown={(event) => {
              event.preventDefault();
              option.choose();
            }}
          >
            <Icon name={iconOf[option.kind]} />
            <span className="visually-hidden">{words(`search.${option.kind}`)}</span>
            <span className="cut" dir="auto">
              {option.text}
            </span>
            {option.detail !== undefined && (
              <span className={`cut ${styles.detail}`} dir="auto">
                {option.detail}
              </span>
            )}
          </div>
        ))}
    </div>
  );
}

/** The names of members, mailboxes, teams and tags. All but members are fetched only once the box is open. */
function useQueryNames(workspaceId: string, isOpen: boolean): Names {
  const members = useQuery(membersQuery(workspaceId)).data ?? [];
  const mailboxes = useQuery({ ...mailboxesQuery(workspaceId), enabled: isOpen }).data ?? [];
  const teams = useQuery({ ...teamsQuery(workspaceId), enabled: isOpen }).data ?? [];
  const complete = useCompletions(isOpen);
  const tags = useQuery({ ...tagListQuery(workspaceId), enabled: isOpen, staleTime: 60_000 }).data ?? [];
  return {
    members: (word) => named(word, members, ({ name, email }) => [name, email]).map(({ userId }) => userId),
    mailboxes: (word) => named(word, mailboxes, ({ address }) => [address]).map(({ id }) => id),
    teams: (word) => named(word, teams, ({ name }) => [name]).map(({ id }) => id),
    completions: (text) => {
      const people = members.map(({ name, email }) => name ?? email);
      const addresses = mailboxes.map(({ address }) => address);
      const known = {
        tag: tags.map(({ tag }) => tag).sort(inOrder),
        in: addresses,
        assignee: people,
        team: teams.map(({ name }) => name),
      };
      return complete?.(text, known, { max: 4 }) ?? [];
    },
  };
}

/** Those with this name, or else those whose name begins with it. */
function named<Item>(
  word: string,
  items: readonly Item[],
  namesOf: (item: Item) => readonly (string | null)[],
): Item[] {
  const begin = word.toLowerCase();
  const whole = items.filter((item) => namesOf(item).some((name) => name?.toLowerCase() === begin));
  const begun = items.filter((item) => namesOf(item).some((name) => name?.toLowerCase().startsWith(begin)));
  return whole.length > 0 ? whole : begun;
}

let completions: typeof completionsOf | undefined;

/** Loads with the first use of a box, and later boxes have it at once: the next keys may choose a completion. */
function useCompletions(isOpen: boolean): typeof completionsOf | undefined {
  const [loaded, setLoaded] = useState(() => completions);
  useEffect(() => {
    if (isOpen)
      void import('../tickets/query/query-completions.ts').then((part) => {
        completions = part.completionsOf;
        setLoaded(() => part.completionsOf);
      });
  }, [isOpen]);
  return loaded;
}

type Actions = {
  complete: (text: string) => void;
  submit: (text: string) => void;
  leave: (to: string) => void;
  workspaceId: string;
  names: Names;
};

/**
 * The options below the box: recent searches while it is empty, then completions of the last word and loaded tickets.
 */
function useOptions(text: string, { complete, submit, leave, workspaceId, names }: Actions): Option[] {
  const rows = useRows(workspaceId);
  const typed = useDeferredValue(text);
  const hits = useMemo(() => {
    const shown = [...rows.values()].map((row) => row.shown);
    const { list } = listOfQuery(readQuery(typed.trim(), names));
    return cachedHits(shown, list, looker(workspaceId), hitsMax);
  }, [rows, typed, names, workspaceId]);
  if (text === '')
    return recentSearches(workspaceId).map((recent) => ({
      key: `recent ${recent}`,
      kind: 'recent',
      text: recent,
      choose: () => submit(recent),
    }));
  const completions = names.completions(text).map(
    (completed): Option => ({
      key: `word ${completed}`,
      kind: 'word',
      text: completed,
      choose: () => complete(completed),
    }),
  );
  const found = hits.map(
    ({ id, ticketNumber, subject, requester }): Option => ({
      key: id,
      kind: 'ticket',
      text: subject,
      detail: `#${ticketNumber} ${requester?.name ?? requester?.email ?? ''}`,
      choose: () => leave(paths.ticket(ticketNumber)),
    }),
  );
  return [...completions, ...found];
}
