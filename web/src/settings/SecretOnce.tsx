import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import { CopyText } from './CopyText.tsx';
import styles from './SecretOnce.module.css';

/** `children` shows the facts that the reader needs beside the secret. */
type Props = { title: string; label: string; secret: string; onDone: () => void; children?: ReactNode };

/** A secret that the service shows only now, as it keeps only what proves it. */
export function SecretOnce({ title, label, secret, onDone, children }: Props) {
  const box = useRef<HTMLElement>(null);
  // The form that had the focus is gone.
  useEffect(() => box.current?.focus(), []);
  return (
    <section ref={box} tabIndex={-1} aria-label={title} className={styles.box}>
      <h3>{title}</h3>
      <p>{words('secret.once')}</p>
      <CopyText label={label} text={secret} />
      {children}
      <Button look="primary" onClick={onDone}>
        {words('secret.kept')}
      </Button>
    </section>
  );
}
