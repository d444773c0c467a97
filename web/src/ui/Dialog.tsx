import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { words } from '../words/words.ts';
import { IconButton } from './Button.tsx';
import styles from './Dialog.module.css';

type Props = Omit<ComponentProps<'dialog'>, 'title' | 'onClose'> & {
  title: string;
  children: ReactNode;
  /** Without it the dialog stays until its work is done. */
  onClose?: () => void;
};

/** A card over the page, which waits behind it. The browser keeps the focus inside, and gives it back. */
export function Dialog({ title, children, onClose, className, ...dialog }: Props) {
  const id = useId();
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (current?.open === false) current.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={box}
      aria-labelledby={id}
      className={[styles.dialog, className].filter(Boolean).join(' ')}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      {...dialog}
    >
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {onClose !== undefined && <IconButton icon="close" aria-label={words('help.close')} onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}
