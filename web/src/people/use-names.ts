import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { usePlace } from '../session/Guard.tsx';
import type { Names } from '../tickets/filters.ts';
import { mailboxesQuery, teamsQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';
import { useNameOf } from './MemberFace.tsx';

/** Names mailboxes by their addresses. */
export function useNames(): Names {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const teams = useQuery(teamsQuery(workspace.id)).data ?? [];
  return {
    person: useNameOf(),
    mailbox: (mailboxId) => mailboxes.find(({ id }) => id === mailboxId)?.address ?? words('chip.otherMailbox'),
    team: (teamId) => teams.find(({ id }) => id === teamId)?.name ?? words('chip.otherTeam'),
  };
}

/** The names of the teams that show their tickets to few, by id. */
export function useRestrictedTeams(): ReadonlyMap<string, string> {
  const { workspace } = usePlace();
  const { data } = useQuery(teamsQuery(workspace.id));
  return useMemo(
    () => new Map(data?.filter(({ visibility }) => visibility === 'members').map(({ id, name }) => [id, name])),
    [data],
  );
}
