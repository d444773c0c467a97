import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { usePlace } from '../session/Guard.tsx';
import type { ListParameters } from '../tickets/lists.ts';
import { mailboxesQuery } from '../tickets/queries.ts';

/** The mailboxes that the rows of a list name; none where all rows have the same. */
export function useMailboxNames({ mailbox }: ListParameters): ReadonlyMap<string, string> {
  const { workspace } = usePlace();
  const { data } = useQuery(mailboxesQuery(workspace.id));
  const isMixed = mailbox?.length !== 1 && data !== undefined && data.length > 1;
  return useMemo(
    () => new Map(isMixed ? data.map(({ id, name, address }) => [id, name ?? address]) : []),
    [isMixed, data],
  );
}
