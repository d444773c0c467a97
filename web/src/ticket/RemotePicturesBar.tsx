import { remotePicturesIn } from '../tickets/mail-html.ts';
import { words } from '../words/words.ts';
import styles from './Warnings.module.css';

/** Says what a mail would load from elsewhere. */
export function RemotePicturesBar({ html }: { html: string }) {
  const { count, hosts } = remotePicturesIn(html);
  if (count === 0) return null;
  const [first = ''] = hosts;
  const named = hosts.length === 1 ? first : words('message.remoteMore', { first, count: hosts.length - 1 });
  return (
    <p className={styles.plain}>
      {words(count === 1 ? 'message.remoteOne' : 'message.remoteCount', { count, hosts: named })}
    </p>
  );
}
