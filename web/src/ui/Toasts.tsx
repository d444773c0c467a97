import { useRef } from 'react';
import { words } from '../words/words.ts';
import { Icon } from './Icon.tsx';
import styles from './Toasts.module.css';
import { closeToast, useToasts } from './toast.ts';

/** Messages about changes just made or refused. Screen readers announce them. */
export function Toasts() {
  const toasts = useToasts();
  const from = useRef<HTMLElement>(null);
  /** Gives the focus back that its button took. */
  const close = (id: number) => {
    closeToast(id);
    from.current?.focus();
  };
  return (
    <div
      className={styles.toasts}
      role="status"
      aria-live="polite"
      onFocus={({ relatedTarget, currentTarget }) => {
        if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget))
          from.current = relatedTarget;
      }}
    >
      {toasts.map(({ id, text, isBad, action }) => (
        <div key={id} className={styles.toast} data-bad={isBad || undefined}>
          <Icon name={isBad ? 'alert' : action === undefined ? 'info' : 'check'} />
          <p dir="auto">{text}</p>
          {action !== undefined && (
            <button
              type="button"
              className={styles.action}
              onClick={() => {
                close(id);
                action.run();
              }}
            >
              {action.text}
              {action.key !== undefined && (
                <span className="key-cap" aria-hidden="true">
                  {action.key}
                </span>
              )}
            </button>
          )}
          <button
            type="button"
            className={styles.close}
            aria-label={words('toast.close')}
            title={words('toast.close')}
            onClick={() => close(id)}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
