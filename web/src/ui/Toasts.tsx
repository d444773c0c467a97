import { words } from '../words/words.ts';
import { Button } from './Button.tsx';
import styles from './Toasts.module.css';
import { closeToast, useToasts } from './toast.ts';

/** Messages about changes just made or refused. Screen readers announce them. */
export function Toasts() {
  const toasts = useToasts();
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {toasts.map(({ id, text, isBad, action }) => (
        <div key={id} className={styles.toast} data-bad={isBad || undefined}>
          <p>{text}</p>
          {action !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                closeToast(id);
                action.run();
              }}
            >
              {action.text}
            </Button>
          )}
          <Button look="quiet" aria-label={words('toast.close')} onClick={() => closeToast(id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
