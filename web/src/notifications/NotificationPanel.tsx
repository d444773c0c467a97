import { useState } from 'react';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import styles from './NotificationPanel.module.css';

const NotificationList = later(() => import('./NotificationList.tsx'), 'NotificationList');

export const notificationsId = 'notifications';

/** The panel of notifications. It fetches them when it opens. */
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

/** Hides the panel, and on a phone also the drawer below it. */
function hideAll(): void {
  for (const shown of document.querySelectorAll<HTMLElement>(':popover-open')) shown.hidePopover();
}
