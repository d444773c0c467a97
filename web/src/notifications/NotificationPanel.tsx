import { useState } from 'react';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import styles from './NotificationPanel.module.css';

const NotificationList = later(async () => (await import('./NotificationList.tsx')).NotificationList);

export const notificationsId = 'notifications';

/** What a person is told, by ticket. It is asked for when the panel opens. */
export function NotificationPanel() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div
      id={notificationsId}
      popover="auto"
      role="dialog"
      aria-label={words('notifications.title')}
      className={styles.panel}
      onToggle={({ newState }) => setIsOpen(newState === 'open')}
    >
      {isOpen && <NotificationList onDone={hideAll} />}
    </div>
  );
}

/** The panel, and on a phone the drawer below it. */
function hideAll(): void {
  for (const shown of document.querySelectorAll<HTMLElement>(':popover-open')) shown.hidePopover();
}
