import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { inWorkspace, type Message } from '../../api/client.ts';
import { fullTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { personOf } from '../../tickets/persons.ts';
import { refreshTicket } from '../../tickets/sending/sending.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import styles from './SplitForm.module.css';

/**
 * Names the data that is removed for good and the data that stays. Removes the message's content once the person
 * confirms.
 */
export function RedactForm({ message }: { message: Message }) {
  const { workspace } = usePlace();
  const { id: messageId, ticketId, attachments, direction, createdAt } = message;
  const [reason, setReason] = useState('');
  const redact = useMutation({
    mutationFn: () =>
      inWorkspace(workspace.id).POST('/tickets/{ticketId}/messages/{messageId}/redact', {
        path: { ticketId, messageId },
        body: reason.trim() === '' ? {} : { reason },
      }),
    onSuccess: () => {
      closeOverlay();
      showToast(words('redact.done'));
    },
    onSettled: () => refreshTicket(workspace.id, ticketId),
  });
  const files = attachments.map(({ fileName }) => fileName).join(', ');
  return (
    // Enter in the field must not remove anything, so the button does not submit.
    <form className={styles.form} onSubmit={(event) => event.preventDefault()}>
      <h2>{words('redact.title')}</h2>
      <p>{words('redact.what', { person: personOf(message), time: fullTime(createdAt) })}</p>
      <ul>
        <li>{words('redact.text')}</li>
        {attachments.length > 0 && <li>{words('redact.files', { count: attachments.length, files })}</li>}
        {direction === 'inbound' && <li>{words('redact.original')}</li>}
      </ul>
      <p>{words('redact.bytes')}</p>
      <p>{words('redact.stays')}</p>
      <p>
        <strong>{words('redact.never')}</strong>
      </p>
      <Field
        label={words('redact.reason')}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {redact.error !== null && <Fault error={redact.error} />}
      <div className={styles.actions}>
        <Button onClick={closeOverlay}>{words('split.cancel')}</Button>
        <Button look="primary" disabled={redact.isPending} onClick={() => redact.mutate()}>
          {words('redact.do')}
        </Button>
      </div>
    </form>
  );
}
