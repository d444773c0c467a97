import { useQueries, useQuery } from '@tanstack/react-query';
import { gatheredTypes } from '../notifications/queries.ts';
import { meQuery } from '../session/queries.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Table } from '../ui/Table.tsx';
import { words } from '../words/words.ts';
import type { Choice, Preferences } from './notification-preferences.ts';
import { Section } from './Section.tsx';

type Types = Preferences['types'];
type Gathered = (typeof gatheredTypes)[number];
type Mailbox = { id: string; name: string };
type Props = { types: Types; onChoose: (choice: Choice) => void };

/** The mailboxes of which new tickets and unassigned replies tell this person. */
export function NotificationMailboxes({ types, onChoose }: Props) {
  const { mailboxes, error, retry } = useAllMailboxes();
  const shown = gatheredTypes.filter((type) => types[type].inApp);
  if (shown.length === 0 || (mailboxes === undefined && error === undefined)) return null;
  // One mailbox is no choice, but those chosen earlier may be disconnected by now.
  if (mailboxes !== undefined && mailboxes.length < 2 && shown.every((type) => types[type].mailboxIds === null))
    return null;
  return (
    <Section title={words('preferences.mailboxes')} hint={words('preferences.mailboxesHint')}>
      {error !== undefined && <Fault error={error} onRetry={retry} />}
      {mailboxes !== undefined && <MailboxTable {...{ mailboxes, shown, types, onChoose }} />}
    </Section>
  );
}

function MailboxTable({ mailboxes, shown, types, onChoose }: Props & { mailboxes: Mailbox[]; shown: Gathered[] }) {
  const chooseAll = (type: Gathered, isWanted: boolean) =>
    onChoose(() => ({ types: { [type]: { mailboxIds: isWanted ? null : [] } } }));
  const chooseOne = (type: Gathered, mailboxId: string, isWanted: boolean) =>
    onChoose(({ types: { [type]: before } }) => {
      const isChosen = ({ id }: Mailbox) => (id === mailboxId ? isWanted : (before.mailboxIds?.includes(id) ?? true));
      const ids = mailboxes.filter(isChosen).map(({ id }) => id);
      return { types: { [type]: { mailboxIds: ids.length === mailboxes.length ? null : ids } } };
    });
  const rowOf = (key: string, name: string, isTicked: (type: Gathered) => boolean, choose: typeof chooseAll) => (
    <tr key={key}>
      <th scope="row" dir="auto">
        {name}
      </th>
      {shown.map((type) => (
        <td key={type}>
          <Checkbox
            aria-label={`${name}: ${words(`preferences.of.${type}`)}`}
            checked={isTicked(type)}
            onChange={({ target }) => choose(type, target.checked)}
          />
        </td>
      ))}
    </tr>
  );
  return (
    <Table
      label={words('preferences.mailboxes')}
      heads={[words('preferences.mailboxes'), ...shown.map((type) => words(`preferences.of.${type}`))]}
      areAllShown
    >
      {rowOf('all', words('preferences.allMailboxes'), (type) => types[type].mailboxIds === null, chooseAll)}
      {mailboxes.map(({ id, name }) =>
        rowOf(
          id,
          name,
          (type) => types[type].mailboxIds?.includes(id) ?? true,
          (type, isWanted) => chooseOne(type, id, isWanted),
        ),
      )}
    </Table>
  );
}

type Found = { mailboxes?: Mailbox[]; error?: Error; retry: () => void };

/** The mailboxes of all workspaces, because preferences hold for all. Several workspaces are named with theirs. */
function useAllMailboxes(): Found {
  const workspaces = useQuery(meQuery).data?.workspaces;
  const found = useQueries({ queries: (workspaces ?? []).map(({ id }) => mailboxesQuery(id)) });
  const missing = found.filter(({ data }) => data === undefined);
  const retry = () => {
    for (const { refetch } of missing) void refetch();
  };
  const error = missing.find((query) => query.error !== null)?.error;
  if (error) return { error, retry };
  // Without all of them, a choice would leave some out.
  if (workspaces === undefined || missing.length > 0) return { retry };
  const mailboxes = workspaces.flatMap((workspace, at) =>
    (found[at]?.data ?? []).map(({ id, name, address }) => ({
      id,
      name: workspaces.length > 1 ? `${workspace.name}: ${name ?? address}` : (name ?? address),
    })),
  );
  return { mailboxes, retry };
}
