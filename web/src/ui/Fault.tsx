import { ApiError } from '../api/client.ts';
import { type Issue, issueWords, words } from '../words/words.ts';
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

/** An invalid request names each field that is wrong. */
function sentenceOf({ message, params }: ApiError): string {
  const issues = (params.issues ?? []) as Issue[];
  return issues.length === 0 ? message : `${message} ${issues.map(issueWords).join('; ')}.`;
}
