import { ApiError } from '../api/client.ts';
import { words } from '../words/words.ts';
import { Button } from './Button.tsx';
import styles from './Fault.module.css';
import { faultWords } from './fault-words.ts';

type Props = { error: Error; onRetry?: (() => void) | undefined };

/** Shows an error, with a button that tries again. */
export function Fault({ error, onRetry }: Props) {
  const isOfApi = error instanceof ApiError;
  const reference = isOfApi && error.status >= 500 ? error.correlationId : null;
  return (
    <div role="alert" className={styles.fault}>
      <p>{faultWords(error)}</p>
      {reference !== null && <p className={styles.reference}>{words('error.reference', { id: reference })}</p>}
      {onRetry !== undefined && <Button onClick={onRetry}>{words('error.retry')}</Button>}
    </div>
  );
}
