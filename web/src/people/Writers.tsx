import { Icon } from '../ui/Icon.tsx';
import { doingWords, useColleagues } from './colleagues.ts';
import styles from './Writers.module.css';

/** Warns, beside the person's own text, that a colleague writes on the same ticket, so that they do not both answer. */
export function Writers({ ticketId }: { ticketId: string }) {
  const writers = useColleagues(ticketId).filter(({ state }) => state !== 'viewing');
  return (
    // Always mounted: screen readers announce only text that is added to an existing live region.
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
