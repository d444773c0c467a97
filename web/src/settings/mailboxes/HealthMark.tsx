import { Icon } from '../../ui/Icon.tsx';
import type { Tone } from './health.ts';
import styles from './mailboxes.module.css';

const icons = { good: 'check', pending: 'clock', bad: 'alert' } as const;

/** The health of a mailbox in a few words. The picture repeats them for people who see no colours. */
export function HealthMark({ tone, what }: { tone: Tone; what: string }) {
  return (
    <span className={styles.health} data-tone={tone}>
      <Icon name={icons[tone]} /> {what}
    </span>
  );
}
