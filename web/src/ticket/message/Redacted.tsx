import type { Message } from '../../api/client.ts';
import { fullTime } from '../../lib/dates.ts';
import { useNameOf } from '../../people/MemberFace.tsx';
import { words } from '../../words/words.ts';
import styles from './Redacted.module.css';

/** What stands in place of a text that was removed for good. */
export function Redacted({ redacted: { at, by } }: { redacted: NonNullable<Message['redacted']> }) {
  const person = useNameOf()(by ?? '');
  const time = fullTime(at);
  return (
    <p className={styles.redacted}>
      {by === null ? words('redact.lineByErasure', { time }) : words('redact.line', { person, time })}
    </p>
  );
}
