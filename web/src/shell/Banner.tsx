import { useWaitingChanges } from '../tickets/changes.ts';
import { words } from '../words/words.ts';
import styles from './Banner.module.css';

/** Says that the service cannot be reached, for as long as it cannot. */
export function Banner() {
  const { count, isOffline } = useWaitingChanges();
  if (!isOffline) return <div role="status" />;
  const key = count === 0 ? 'banner.offline' : count === 1 ? 'banner.offlineOne' : 'banner.offlineMany';
  return (
    <div role="status" className={styles.banner}>
      {words(key, { count })}
    </div>
  );
}
