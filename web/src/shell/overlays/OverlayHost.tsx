import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { words } from '../../words/words.ts';
import { closeOverlay, type Overlay, openerOfOverlay } from '../overlay.ts';
import { AssignPicker } from './AssignPicker.tsx';
import { BlockForm } from './BlockForm.tsx';
import { BulkReply } from './BulkReply.tsx';
import { MailboxPicker } from './MailboxPicker.tsx';
import { MatchingForm } from './MatchingForm.tsx';
import { MergePicker } from './MergePicker.tsx';
import styles from './OverlayHost.module.css';
import { Palette } from './Palette.tsx';
import { PriorityPicker } from './PriorityPicker.tsx';
import { PurgeForm } from './PurgeForm.tsx';
import { isOfProperty, placeOf } from './place.ts';
import { RedactForm } from './RedactForm.tsx';
import { RequesterPicker } from './RequesterPicker.tsx';
import { SendLaterPicker } from './SendLaterPicker.tsx';
import { SnoozePicker } from './SnoozePicker.tsx';
import { SplitForm } from './SplitForm.tsx';
import { StatusPicker } from './StatusPicker.tsx';
import { TagsPicker } from './TagsPicker.tsx';

/**
 * The dialog around a picker. The browser keeps the focus inside, and returns it afterwards. A picker of one property
 * opens beside the button that was clicked, or else beside the shown property; on a phone it comes from below.
 */
export function OverlayHost({ overlay }: { overlay: Overlay }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [place, setPlace] = useState(() => placeOf(overlay));
  useLayoutEffect(() => {
    const { current } = dialog;
    // Not every browser focuses a button that is clicked.
    openerOfOverlay()?.focus({ preventScroll: true });
    if (current?.open === false) current.showModal();
    // Only `close` returns the focus, and only as long as the dialog is in the document: a layout effect runs before.
    return () => current?.close();
  }, []);
  useEffect(() => {
    const placeAgain = () => setPlace(placeOf(overlay));
    window.addEventListener('resize', placeAgain);
    return () => window.removeEventListener('resize', placeAgain);
  }, [overlay]);
  return (
    <dialog
      ref={dialog}
      className={styles.overlay}
      style={place}
      data-place={place === undefined ? undefined : 'anchored'}
      data-sheet={isOfProperty(overlay) || undefined}
      aria-label={labelOf(overlay)}
      closedby="any"
      // The close event comes later than `cancel`, and keys between the two would be lost.
      onCancel={() => closeOverlay()}
      // The event comes late, and in development React has opened the dialog again by then.
      onClose={({ currentTarget }) => !currentTarget.open && closeOverlay()}
    >
      <Content key={overlay.kind} overlay={overlay} />
    </dialog>
  );
}

function Content({ overlay }: { overlay: Overlay }) {
  switch (overlay.kind) {
    case 'status':
      return <StatusPicker {...overlay} />;
    case 'assign':
      return <AssignPicker {...overlay} />;
    case 'tags':
      return <TagsPicker {...overlay} />;
    case 'priority':
      return <PriorityPicker {...overlay} />;
    case 'snooze':
      return <SnoozePicker {...overlay} />;
    case 'mailbox':
      return <MailboxPicker {...overlay} />;
    case 'sendLater':
      return <SendLaterPicker {...overlay} />;
    case 'requester':
      return <RequesterPicker {...overlay} />;
    case 'merge':
      return <MergePicker {...overlay} />;
    case 'bulkReply':
      return <BulkReply {...overlay} />;
    case 'palette':
      return <Palette tickets={overlay.tickets} />;
    case 'split':
      return <SplitForm ticketNumber={overlay.ticketNumber} fromId={overlay.fromId} />;
    case 'redact':
      return <RedactForm message={overlay.message} />;
    case 'block':
      return <BlockForm {...overlay} />;
    case 'bulkAll':
      return <MatchingForm {...overlay} />;
    case 'purge':
      return <PurgeForm tickets={overlay.tickets} />;
  }
}

function labelOf(overlay: Overlay): string {
  if (overlay.kind === 'redact') return words('redact.title');
  const name = words(`command.${overlay.kind}`);
  if (overlay.kind === 'bulkAll' || overlay.kind === 'sendLater') return name;
  if (overlay.kind === 'split') return `${name}: #${overlay.ticketNumber}`;
  if (overlay.tickets.length === 0) return name;
  const [first, ...others] = overlay.tickets;
  const number = first?.ticketNumber;
  const one = number === undefined ? words('new.title') : `#${number}`;
  const what = others.length === 0 ? one : words('change.tickets', { count: others.length + 1 });
  return `${name}: ${what}`;
}
