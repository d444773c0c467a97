import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Attachment } from '../../api/client.ts';
import { ownAddress } from '../../tickets/mail-html.ts';
import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import styles from './Gallery.module.css';

type Props = { pictures: readonly Attachment[]; first: number; onClose: () => void };

/** The pictures of a message, one at a time, by arrow keys. */
export function Gallery({ pictures, first, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [at, setAt] = useState(first);
  useEffect(() => dialog.current?.showModal(), []);
  const picture = pictures[at];
  if (picture === undefined) return null;
  const step = (by: 1 | -1) => setAt((at + by + pictures.length) % pictures.length);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowRight') step(1);
    if (key === 'ArrowLeft') step(-1);
  };
  return (
    <dialog
      ref={dialog}
      className={styles.gallery}
      aria-label={words('files.gallery')}
      onClose={onClose}
      onKeyDown={onKeyDown}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <img src={ownAddress(picture.url)} alt={picture.fileName} />
      <footer>
        <span className={styles.name} dir="auto">
          {picture.fileName}
        </span>
        {pictures.length > 1 && (
          <>
            <Button aria-keyshortcuts="ArrowLeft" aria-label={words('files.previous')} onClick={() => step(-1)}>
              ←
            </Button>
            <span aria-live="polite">{words('files.of', { at: at + 1, count: pictures.length })}</span>
            <Button aria-keyshortcuts="ArrowRight" aria-label={words('files.next')} onClick={() => step(1)}>
              →
            </Button>
          </>
        )}
        <Button aria-keyshortcuts="Escape" onClick={() => dialog.current?.close()}>
          {words('files.close')}
        </Button>
      </footer>
    </dialog>
  );
}
