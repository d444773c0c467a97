import { ApiError } from '../api/client.ts';
import { words } from '../words/words.ts';
import { Button } from './Button.tsx';
import styles from './Fault.module.css';

type Props = { error: Error; onRetry?: (() => void) | undefined };

/** Shows an error, with a button that tries again. */
export function Fault({ error, onRetry }: Props) {
  const isOfApi = error instanceof ApiError;
  const reference = isOfApi && error.status >= 500 ? error.correlationId : null;
  return (
    <div role="alert" className={styles.fault}>
      <p>{isOfApi ? sentenceOf(error) : words('error.network')}</p>
      {reference !== null && <p className={styles.reference}>{words('error.reference', { id: reference })}</p>}
      {onRetry !== undefined && <Button onClick={onRetry}>{words('error.retry')}</Button>}
    </div>
  );
}

type Issue = { path: string; message: string };

/** An invalid request names each field that is wrong. */
function sentenceOf({ message, params }: ApiError): string {
  const issues = (params.issues ?? []) as Issue[];
  const named = issues.map((issue) => `${issue.path.replace(/^body\./, '')} ${issue.message}`);
  return named.length === 0 ? message : `${message} ${named.join('; ')}.`;
}
