import { Icon } from '../ui/Icon.tsx';
import { doingWords, useColleagues } from './colleagues.ts';
import styles from './Writers.module.css';

/** Says beside one's own text that a colleague writes at the same ticket, before two answers leave. */
export function Writers({ ticketId }: { ticketId: string }) {
  const writers = useColleagues(ticketId).filter(({ state }) => state !== 'viewing');
  return (
    // It is there before anybody writes: what is put into it is then read aloud.
    <div role="status" className={styles.writers}>
      {writers.map((writer) => (
        <p key={writer.userId}>
          <Icon name="pencil" />
          {doingWords(writer)}
        </p>
      ))}
    </div>
  );
}
