import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { Ticket } from '../../api/client.ts';
import { type CommandId, commands, commandWords, keysOf, runCommand, runnableCommands } from '../../commands.ts';
import { keyWords } from '../../lib/keys.ts';
import { paths } from '../../paths.ts';
import { type ListedReply, savedRepliesQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { commandWordsFor, isDone } from '../../tickets/command-words.ts';
import { listOfMailbox, writeList, writePlace } from '../../tickets/lists.ts';
import { nameOfContact } from '../../tickets/persons.ts';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { useRows } from '../../tickets/use-ticket-list.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { type View, viewsQuery } from '../../views/queries.ts';
import { listOf } from '../../views/ViewBar.tsx';
import { type WordKey, words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { commandIcon } from './command-icons.ts';
import styles from './Palette.module.css';
import { type Choice, type ChoiceGroup, Keys, Picker } from './Picker.tsx';
import { noteChoice, recentChoices } from './recent.ts';

type Mailbox = { id: string; name: string | null; address: string };

const recentMax = 5;

/**
 * Finds commands, tickets, people, views and mailboxes by name, from the loaded data. Commands for the selected
 * tickets come first.
 */
export function Palette({ tickets }: { tickets: readonly Ticket[] }) {
  const { workspace } = usePlace();
  const rows = useRows(workspace.id);
  const [, navigate] = useLocation();
  const { data: views } = useQuery(viewsQuery(workspace.id));
  const { data: mailboxes } = useQuery(mailboxesQuery(workspace.id));
  const command = useReplyCommand();
  const replies = useQuery({ ...savedRepliesQuery(workspace.id, '', 'used'), enabled: command !== undefined }).data;
  const groups = useMemo(() => {
    const known = [...rows.values()].map(({ shown }) => shown);
    return withRecent([
      ...commandGroups(tickets),
      {
        name: words('replies.list'),
        choices: command === undefined ? [] : (replies ?? []).map((reply) => replyChoice(reply, command)),
      },
      { name: words('list.tickets'), choices: known.map((ticket) => ticketChoice(ticket, navigate)) },
      { name: words('picker.people'), choices: peopleIn(known, navigate) },
      { name: words('view.heading'), choices: (views ?? []).map((view) => viewChoice(view, navigate)) },
      { name: words('side.mailboxes'), choices: (mailboxes ?? []).map((mailbox) => mailboxChoice(mailbox, navigate)) },
      { name: words('settings.title'), choices: settingsPages.map((page) => settingsChoice(page, navigate)) },
    ]);
  }, [rows, views, mailboxes, replies, command, tickets, navigate]);
  const ofWords = useCallback((text: string) => wordChoices(text, navigate), [navigate]);
  return (
    <Picker
      label={words('command.palette')}
      placeholder={words('palette.placeholder')}
      groups={groups}
      ofWords={ofWords}
      areWordsLast
      foot={<Foot />}
    />
  );
}

/** How the palette is used by keyboard. */
function Foot() {
  const [help] = keysOf('help');
  return (
    <div className={styles.foot} aria-hidden="true">
      <span>
        <Keys keys="↑ ↓" />
        {words('palette.choose')}
      </span>
      <span>
        <Keys keys="⏎" />
        {words('palette.run')}
      </span>
      {help !== undefined && (
        <span>
          <Keys keys={keyWords(help)} />
          {words('command.help')}
        </span>
      )}
    </div>
  );
}

type Navigate = (to: string) => void;

function choiceOf(choice: Omit<Choice, 'run'>, run: () => void): Choice {
  return {
    ...choice,
    run: () => {
      noteChoice(choice.id);
      closeOverlay();
      // Runs after the dialog has returned the focus, because a command may move it.
      setTimeout(run);
    },
  };
}

function commandGroups(tickets: readonly Ticket[]): ChoiceGroup[] {
  const choices = runnableCommands()
    .filter((id) => !('isMovement' in commands[id]) && id !== 'palette' && !isOfView(id) && !isDone(id, tickets))
    .map((id) => ({ group: commands[id].group as string, choice: commandChoice(id, tickets) }));
  const isForTickets = (group: string) => group === 'ticket' || group === 'write';
  const of = (wanted: boolean) =>
    choices.filter(({ group }) => isForTickets(group) === wanted).map(({ choice }) => choice);
  const [first, ...others] = tickets;
  if (first === undefined) return [{ name: words('palette.commands'), choices: choices.map(({ choice }) => choice) }];
  const what = others.length === 0 ? `#${first.ticketNumber}` : words('change.tickets', { count: tickets.length });
  return [
    { name: words('palette.commandsFor', { what }), choices: of(true) },
    { name: words('palette.commands'), choices: of(false) },
  ];
}

/** The palette lists views by name, so it leaves out their commands. */
const isOfView = (id: CommandId) => id.startsWith('goView');

function commandChoice(id: CommandId, tickets: readonly Ticket[]): Choice {
  const [key] = keysOf(id);
  return choiceOf(
    {
      id: `command ${id}`,
      text: commandWordsFor(id, tickets),
      // The words of all states find it.
      also: commandWords(id),
      mark: <Icon name={commandIcon(id)} />,
      ...(key !== undefined && { keys: keyWords(key) }),
    },
    () => runCommand(id),
  );
}

function ticketChoice({ id, ticketNumber, subject, requester }: Ticket, navigate: Navigate): Choice {
  const person = requester === null ? undefined : nameOfContact(requester);
  return choiceOf(
    {
      id: `ticket ${id}`,
      text: `#${ticketNumber} ${subject}`,
      mark: <Avatar name={person ?? words('app')} of={requester?.email ?? ''} size={20} />,
      ...(person !== undefined && { detail: person }),
    },
    () => navigate(paths.ticket(ticketNumber)),
  );
}

/** The requesters of known tickets. Choosing a person shows their tickets. */
function peopleIn(known: readonly Ticket[], navigate: Navigate): Choice[] {
  const byEmail = new Map(known.flatMap(({ requester }) => (requester === null ? [] : [[requester.email, requester]])));
  return [...byEmail.values()].map(({ email, name }) =>
    choiceOf(
      {
        id: `person ${email}`,
        text: name ?? email,
        mark: <Avatar name={name ?? email} of={email} size={20} />,
        ...(name !== null && { detail: email }),
      },
      () => navigate(paths.list(writeList({ search: email }))),
    ),
  );
}

function viewChoice(view: View, navigate: Navigate): Choice {
  return choiceOf({ id: `view ${view.id}`, text: view.name, mark: <Icon name="view" /> }, () =>
    navigate(paths.list(writePlace(listOf(view), view.id))),
  );
}

function mailboxChoice({ id, name, address }: Mailbox, navigate: Navigate): Choice {
  return choiceOf({ id: `mailbox ${id}`, text: name ?? address, also: address, mark: <Icon name="mail" /> }, () =>
    navigate(paths.list(writeList(listOfMailbox(id)))),
  );
}

/** The pages of the settings to which people go often. */
const settingsPages = [
  ['rules', 'rule', 'settings.rules'],
  ['hours', 'clock', 'settings.hours'],
] as const satisfies [string, IconName, WordKey][];

function settingsChoice([id, icon, name]: (typeof settingsPages)[number], navigate: Navigate): Choice {
  return choiceOf({ id: `settings ${id}`, text: words(name), mark: <Icon name={icon} /> }, () =>
    navigate(paths.settings(id)),
  );
}

type ReplyCommand = Extract<CommandId, 'bulkReply' | 'insertReply'>;

/** What choosing a saved reply does on this screen: it answers the selected tickets, or goes into the open text. */
function useReplyCommand(): ReplyCommand | undefined {
  const [command] = useState(() => {
    const runnable = runnableCommands();
    return (['bulkReply', 'insertReply'] as const).find((id) => runnable.includes(id));
  });
  return command;
}

function replyChoice({ id, name, shortcut }: ListedReply, command: ReplyCommand): Choice {
  const detail = shortcut === null ? {} : { detail: `;;${shortcut}` };
  return choiceOf({ id: `reply ${id}`, text: name, mark: <Icon name="saved" />, ...detail }, () =>
    runCommand(command, id),
  );
}

function wordChoices(text: string, navigate: Navigate): Choice[] {
  const number = /^#?([1-9]\d{0,8})$/.exec(text)?.[1];
  const search = choiceOf(
    { id: 'words search', text: words('palette.search', { words: text }), mark: <Icon name="search" /> },
    () => navigate(paths.list(writeList({ search: text }))),
  );
  if (number === undefined) return [search];
  const go = choiceOf(
    { id: 'words number', text: words('palette.ticket', { number }), mark: <Icon name="inbox" /> },
    () => navigate(paths.ticket(Number(number))),
  );
  return [go, search];
}

/** Puts recent choices first, if they are available now. */
function withRecent(groups: readonly ChoiceGroup[]): ChoiceGroup[] {
  const all = new Map(groups.flatMap(({ choices }) => choices.map((choice) => [choice.id, choice])));
  const recent = recentChoices()
    .flatMap((id) => all.get(id) ?? [])
    .slice(0, recentMax);
  const ids = new Set(recent.map(({ id }) => id));
  const others = groups.map(({ name, choices }) => ({ name, choices: choices.filter(({ id }) => !ids.has(id)) }));
  return [{ name: words('palette.recent'), choices: recent }, ...others];
}
