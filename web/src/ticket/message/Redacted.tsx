import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../api/client.ts';
import { fullTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { membersQuery } from '../../tickets/queries.ts';
import { words } from '../../words/words.ts';
import styles from './Redacted.module.css';

/** What stands in place of a text that was removed for good. */
export function Redacted({ redacted: { at, by } }: { redacted: NonNullable<Message['redacted']> }) {
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const member = members.find(({ userId }) => userId === by);
  const person = member?.name ?? member?.email ?? words('event.formerMember');
  const time = fullTime(at);
  return (
    <p className={styles.redacted}>
      {by === null ? words('redact.lineByErasure', { time }) : words('redact.line', { person, time })}
    </p>
  );
}
