import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Ticket } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { type BlockedKind, blockRequesters, senderOf, sharedIn } from '../../tickets/spam.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import styles from './SplitForm.module.css';

const kinds = ['address', 'domain'] as const;

/** Blocks the requesters of tickets, by address or by domain, and marks the tickets as spam. */
export function BlockForm({ tickets, onDone }: { tickets: readonly Ticket[]; onDone: (() => void) | undefined }) {
  const { workspace } = usePlace();
  const [kind, setKind] = useState<BlockedKind>('address');
  const block = useMutation({
    mutationFn: (agreed: readonly string[]) => blockRequesters({ workspaceId: workspace.id, tickets, kind, agreed }),
    onSuccess: (refusals) => {
      if (refusals.length > 0) return;
      showToast(words('block.done', { who: sendersOf(tickets, kind) }));
      closeOverlay();
      onDone?.();
    },
  });
  const sharedDomain = sharedIn(block.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    block.mutate(sharedDomain === undefined ? [] : [...(block.variables ?? []), sharedDomain]);
  };
  const choose = (chosen: BlockedKind) => {
    setKind(chosen);
    block.reset();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <h2>{words('block.title')}</h2>
      <p>{words('block.what')}</p>
      <fieldset className={styles.messages}>
        <legend className="visually-hidden">{words('block.title')}</legend>
        {kinds.map((one) => (
          <label key={one}>
            <input type="radio" name="kind" checked={one === kind} onChange={() => choose(one)} />
            {words(`block.${one}`, { who: sendersOf(tickets, one) })}
          </label>
        ))}
      </fieldset>
      {sharedDomain !== undefined && <p role="alert">{words('block.shared', { domain: sharedDomain })}</p>}
      {block.error !== null && sharedDomain === undefined && <Fault error={block.error} />}
      {block.data !== undefined && block.data.length > 0 && (
        <ul role="alert">
          {block.data.map(({ ticketNumber, reason }) => (
            <li key={ticketNumber}>
              #{ticketNumber}: {reason}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.actions}>
        <Button onClick={closeOverlay}>{words('split.cancel')}</Button>
        <Button look="primary" type="submit" disabled={block.isPending}>
          {sharedDomain === undefined ? words('block.do') : words('block.doShared', { domain: sharedDomain })}
        </Button>
      </div>
    </form>
  );
}

function sendersOf(tickets: readonly Ticket[], kind: BlockedKind): string {
  return [...new Set(tickets.map((ticket) => senderOf(ticket, kind)))].join(', ');
}
