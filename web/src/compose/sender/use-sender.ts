import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { configQuery } from '../../session/queries.ts';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { ownAddress, senderOf } from './sender.ts';

/** The sender of a new ticket's mail. This browser remembers the last choice of its person. */
export function useSender(chosen: string | null) {
  const { workspace, userId } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data;
  const hasSmtp = useQuery(configQuery).data?.mail !== 'outbox';
  const key = `kontor.sender ${userId} ${workspace.id}`;
  const [lastUsed, setLastUsed] = useState(() => localStorage.getItem(key));
  const sender = senderOf(mailboxes ?? [], { chosen, lastUsed, hasSmtp });
  return {
    mailboxes: mailboxes ?? [],
    hasSmtp,
    sender,
    mailboxId: sender === ownAddress ? null : sender,
    remember: (used: string) => {
      localStorage.setItem(key, used);
      setLastUsed(used);
    },
    /** For a new ticket. Until the mailboxes are known, the service chooses. */
    body: mailboxes === undefined || sender === null ? {} : { mailboxId: sender === ownAddress ? null : sender },
  };
}

export type Sender = ReturnType<typeof useSender>;
