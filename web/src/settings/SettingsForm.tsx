import { type ReactNode, useRef, useState } from 'react';
import { type Fields, fieldsOf, useFields } from '../session/use-fields.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import styles from './SettingsForm.module.css';

type Props = {
  /** Gets all fields. A name that the form does not know yet is never missing. */
  onSave: (fields: Fields) => Promise<unknown>;
  children: ReactNode;
};

/**
 * The sections of a page that are saved together. A bar to save or discard comes up once a field differs. A new `key`
 * begins with other values.
 */
export function SettingsForm({ onSave, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const before = useRef<string>(undefined);
  const [isChanged, setIsChanged] = useState(false);
  const read = (from: HTMLFormElement) => JSON.stringify(fieldsOf(from));
  const { submit, isPending, wrong, fault } = useFields(async (fields) => {
    await onSave(fields);
    before.current = JSON.stringify(fields);
    setIsChanged(form.current !== null && read(form.current) !== before.current);
    showToast(words('settings.saved'));
  });
  return (
    <form
      ref={form}
      noValidate
      className={styles.form}
      onSubmit={submit}
      // Fields may have come with data after the first drawing.
      onFocus={({ currentTarget }) => {
        if (!isChanged) before.current = read(currentTarget);
      }}
      onInput={({ currentTarget }) => setIsChanged(read(currentTarget) !== before.current)}
      onReset={() => setIsChanged(false)}
    >
      {children}
      {(isChanged || isPending) && (
        <div className={styles.bar}>
          {wrong !== undefined && <p role="alert">{wrong}</p>}
          {fault !== null && <Fault error={fault} />}
          {wrong === undefined && fault === null && <p>{words('settings.unsaved')}</p>}
          <Button type="reset" look="quiet" disabled={isPending}>
            {words('settings.discard')}
          </Button>
          <Button type="submit" look="primary" disabled={isPending}>
            {words('settings.save')}
          </Button>
        </div>
      )}
    </form>
  );
}
