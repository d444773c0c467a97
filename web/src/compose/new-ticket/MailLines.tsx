import { useQueries } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { isAddress, isSameAddress } from '../../lib/addresses.ts';
import { suggestedContactsQuery } from '../../people/contacts.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import type { DraftContent } from '../draft/draft-content.ts';
import type { DraftKeeper } from '../draft/draft-keeper.ts';
import { AddressField } from '../recipients/AddressField.tsx';
import { FromChoice } from '../sender/FromChoice.tsx';
import { MailboxChoice } from '../sender/MailboxChoice.tsx';
import type { Sender } from '../sender/use-sender.ts';
import styles from './NewTicketPage.module.css';

const copies = ['cc', 'bcc'] as const;

type Props = { content: DraftContent; keeper: DraftKeeper; from: Sender };

/** The mailbox that sends the first mail, and its recipients. */
export function MailLines({ content, keeper, from }: Props) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const to = useRef<HTMLInputElement>(null);
  useEffect(() => to.current?.focus(), []);
  const nameOf = useNames([...content.to, ...content.cc, ...content.bcc]);
  const shown = copies.filter((kind) => content[kind].length > 0 || opened.includes(kind));
  return (
    <>
      <MailboxChoice from={from} onChange={(mailboxId) => keeper.change({ mailboxId, fromAddress: null })} />
      <FromLine {...{ content, keeper, from }} />
      {(['to', ...shown] as const).map((kind) => (
        <div key={kind} className={styles.line}>
          <AddressField
            label={words(`compose.${kind}`)}
            addresses={content[kind]}
            onChange={(changed) => keeper.change({ [kind]: changed, areRecipientsChosen: true })}
            nameOf={nameOf}
            inputRef={kind === 'to' ? to : undefined}
            opens="down"
          />
          {kind === 'to' &&
            copies
              .filter((copy) => !shown.includes(copy))
              .map((copy) => (
                <Button key={copy} look="quiet" size="tool" onClick={() => setOpened([...opened, copy])}>
                  {words(`compose.${copy}`)}
                </Button>
              ))}
        </div>
      ))}
    </>
  );
}

/** The choice among the addresses of a mailbox that has several. */
function FromLine({ content: { fromAddress }, keeper, from: { mailboxes, mailboxId } }: Props) {
  const { senders = [] } = mailboxes.find(({ id }) => id === mailboxId) ?? {};
  const [usual] = senders;
  if (usual === undefined || (senders.length < 2 && fromAddress === null)) return null;
  return (
    <div className={styles.line}>
      <span className={styles.label}>{words('new.address')}</span>
      <FromChoice
        label={words('new.address')}
        {...{ senders, usual }}
        chosen={fromAddress}
        onChange={(chosen) => keeper.change({ fromAddress: chosen })}
      />
    </div>
  );
}

export function SubjectLine({ subject, onChange }: { subject: string; onChange: (subject: string) => void }) {
  const id = useId();
  return (
    <div className={styles.line}>
      <label htmlFor={id}>{words('ticket.subject')}</label>
      <input
        id={id}
        className={`bare-field ${styles.subject}`}
        dir="auto"
        maxLength={500}
        value={subject}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

/** The names of the contacts at these addresses. */
function useNames(addresses: readonly string[]): (address: string) => string | undefined {
  const { workspace } = usePlace();
  const known = [...new Set(addresses)].filter(isAddress);
  const found = useQueries({ queries: known.map((address) => suggestedContactsQuery(workspace.id, address)) });
  return (address) => {
    const contacts = found.flatMap(({ data }) => data ?? []);
    const contact = contacts.find(({ key, detail }) => detail !== undefined && isSameAddress(key, address));
    return contact?.text;
  };
}
