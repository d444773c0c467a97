import { useState } from 'react';
import type { Message } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { later } from '../../ui/later.tsx';
import { words } from '../../words/words.ts';
import styles from './MessageCard.module.css';

const OriginalDialog = later(async () => (await import('./OriginalDialog.tsx')).OriginalDialog);

/** A button that opens the original mail, byte for byte. */
export function Original({ message }: { message: Message }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button look="quiet" className={styles.tool} onClick={() => setIsOpen(true)}>
        {words('message.original')}
      </Button>
      {isOpen && <OriginalDialog message={message} onClose={() => setIsOpen(false)} />}
    </>
  );
}
