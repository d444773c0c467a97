import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../session/Guard.tsx';
import { mailboxesQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';

/** Names mailboxes by their addresses. */
export function useAddressOf(): (mailboxId: string) => string {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  return (mailboxId) => mailboxes.find(({ id }) => id === mailboxId)?.address ?? words('chip.otherMailbox');
}
