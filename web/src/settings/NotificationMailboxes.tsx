import { useQueries, useQuery } from '@tanstack/react-query';
import { gatheredTypes } from '../notifications/queries.ts';
import { meQuery } from '../session/queries.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Table } from '../ui/Table.tsx';
import { words } from '../words/words.ts';
import type { Choice, Preferences } from './notification-preferences.ts';
import { Section } from './Section.tsx';

type Types = Preferences['types'];

type Props = { types: Types; onChoose: (choice: Choice) => void };

/** The mailboxes of which new tickets and unassigned replies tell this person. With one mailbox there is no choice. */
export function NotificationMailboxes({ types, onChoose }: Props) {
  const mailboxes = useAllMailboxes();
  const shown = gatheredTypes.filter((type) => types[type].inApp);
  if (shown.length === 0 || mailboxes.length < 2) return null;
  const all = mailboxes.map(({ id }) => id);
  const choose = (type: (typeof shown)[number], mailboxId: string, isWanted: boolean) =>
    onChoose(({ types: { [type]: before } }) => {
      const after = all.filter((id) => (id === mailboxId ? isWanted : (before.mailboxIds?.includes(id) ?? true)));
      return { types: { [type]: { mailboxIds: after.length === all.length ? null : after } } };
    });
  return (
    <Section title={words('preferences.mailboxes')} hint={words('preferences.mailboxesHint')}>
      <Table
        label={words('preferences.mailboxes')}
        heads={[words('preferences.mailboxes'), ...shown.map((type) => words(`preferences.of.${type}`))]}
        areAllShown
      >
        {mailboxes.map(({ id, name }) => (
          <tr key={id}>
            <th scope="row" dir="auto">
              {name}
            </th>
            {shown.map((type) => (
              <td key={type}>
                <Checkbox
                  aria-label={`${name}: ${words(`preferences.of.${type}`)}`}
                  checked={types[type].mailboxIds?.includes(id) ?? true}
                  onChange={({ target }) => choose(type, id, target.checked)}
                />
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </Section>
  );
}

/** The mailboxes of all workspaces, because preferences hold for all. Several workspaces are named with theirs. */
function useAllMailboxes(): { id: string; name: string }[] {
  const workspaces = useQuery(meQuery).data?.workspaces ?? [];
  const found = useQueries({ queries: workspaces.map(({ id }) => mailboxesQuery(id)) });
  // Without all of them, a choice would leave some out.
  if (found.some(({ data }) => data === undefined)) return [];
  return workspaces.flatMap((workspace, at) =>
    (found[at]?.data ?? []).map(({ id, name, address }) => ({
      id,
      name: workspaces.length > 1 ? `${workspace.name}: ${name ?? address}` : (name ?? address),
    })),
  );
}
