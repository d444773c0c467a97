import { useMutation } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './CopyText.module.css';

/** A text to copy elsewhere. Without a clipboard, as on plain HTTP, it is selected to be copied by hand. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const copy = useMutation({
    mutationFn: () => navigator.clipboard.writeText(text),
    onError: () => {
      field.current?.focus();
      field.current?.select();
    },
  });
  const said = copy.isSuccess ? words('copy.done') : copy.isError ? words('copy.byHand') : '';
  return (
    <div className={styles.copy}>
      <label htmlFor={id}>{label}</label>
      <span className={styles.row}>
        <textarea
          ref={field}
          id={id}
          className="text-field"
          rows={text.split('\n').length}
          readOnly
          spellCheck={false}
          value={text}
          onFocus={({ target }) => target.select()}
        />
        <Button onClick={() => copy.mutate()} aria-label={words('copy.named', { what: label })}>
          {words('copy.do')}
        </Button>
      </span>
      <span role="status">{said}</span>
    </div>
  );
}
