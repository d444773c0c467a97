import { useQuery } from '@tanstack/react-query';
import { type Ref, useState } from 'react';
import type { TicketWithMessages } from '../../api/client.ts';
import { isSameAddress } from '../../lib/addresses.ts';
import { ariaKeys, keyWords } from '../../lib/keys.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import { FromChoice } from '../sender/FromChoice.tsx';
import { usualSender } from '../sender/usual-sender.ts';
import { AddressField } from './AddressField.tsx';
import { nameIn } from './name-in.ts';
import styles from './Recipients.module.css';
import type { Recipients as Addresses } from './recipients-of.ts';

type Props = {
  ticket: TicketWithMessages;
  addresses: Addresses;
  /** The address from which the answer leaves, if its writer has chosen one. */
  from: string | null;
  onFrom: (fromAddress: string | null) => void;
  onChange: (addresses: Addresses) => void;
  isCcShown: boolean;
  onCc: () => void;
  ccRef: Ref<HTMLInputElement>;
};

/** The recipients of an answer, and the mailbox that sends it. */
export function Recipients({ ticket, addresses, from, onFrom, onChange, isCcShown, onCc, ccRef }: Props) {
  const [isBccShown, setIsBccShown] = useState(false);
  const { to, cc, bcc } = addresses;
  const nameOf = nameIn(ticket);
  const { replyDefaults } = ticket;
  const isToAll = replyDefaults.cc.every((address) => cc.some((one) => isSameAddress(one, address)));
  return (
    <div className={styles.recipients}>
      <div className={styles.row}>
        <AddressField
          label={words('compose.to')}
          addresses={to}
          onChange={(changed) => onChange({ ...addresses, to: changed })}
          nameOf={nameOf}
        />
        <span className={styles.more}>
          {replyDefaults.cc.length > 0 && (
            <Button
              look="quiet"
              size="tool"
              onClick={() => onChange({ to: replyDefaults.to, cc: isToAll ? [] : replyDefaults.cc, bcc })}
            >
              {words(isToAll ? 'compose.senderOnly' : 'compose.everyone')}
            </Button>
          )}
          {!isCcShown && cc.length === 0 && (
            <Button
              look="quiet"
              size="tool"
              aria-keyshortcuts={ariaKeys(['$mod+Shift+C'])}
              title={keyWords('$mod+Shift+C')}
              onClick={onCc}
            >
              {words('compose.cc')}
            </Button>
          )}
          {!isBccShown && bcc.length === 0 && (
            <Button look="quiet" size="tool" onClick={() => setIsBccShown(true)}>
              {words('compose.bcc')}
            </Button>
          )}
        </span>
      </div>
      {(isCcShown || cc.length > 0) && (
        <AddressField
          label={words('compose.cc')}
          addresses={cc}
          onChange={(changed) => onChange({ ...addresses, cc: changed })}
          nameOf={nameOf}
          inputRef={ccRef}
        />
      )}
      {(isBccShown || bcc.length > 0) && (
        <AddressField
          label={words('compose.bcc')}
          addresses={bcc}
          onChange={(changed) => onChange({ ...addresses, bcc: changed })}
          nameOf={nameOf}
        />
      )}
      <From {...{ ticket, from, onFrom }} recipients={[...to, ...cc, ...bcc]} />
    </div>
  );
}

type FromProps = Pick<Props, 'ticket' | 'from' | 'onFrom'> & { recipients: readonly string[] };

/** The ticket's mailbox, which sends its answers, and the choice among its addresses. */
function From({ ticket: { mailboxId, messages }, from, onFrom, recipients }: FromProps) {
  const { workspace } = usePlace();
  const mailboxes = useQuery({ ...mailboxesQuery(workspace.id), enabled: mailboxId !== null }).data ?? [];
  const mailbox = mailboxes.find(({ id }) => id === mailboxId);
  if (mailbox === undefined) return null;
  const { senders, address } = mailbox;
  const usual = usualSender(senders, { messages, recipients }) ?? address;
  if (senders.length < 2 && from === null)
    return <p className={styles.from}>{words('compose.from', { address: usual })}</p>;
  return (
    <div className={styles.choice}>
      <span>{words('new.mailbox')}</span>
      <FromChoice label={words('new.mailbox')} {...{ senders, usual }} chosen={from} onChange={onFrom} isQuiet />
    </div>
  );
}
