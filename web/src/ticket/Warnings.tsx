import type { Message } from '../api/client.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './Warnings.module.css';

type Props = { message: Message; onReplyTo?: ((addresses: string[]) => void) | undefined };

/** Warnings about an inbound message. Its Reply-To addresses are only offered, never used by default. */
export function Warnings({ message, onReplyTo }: Props) {
  const { authentication, isSenderKnown, replyTo, truncated, automaticKind, direction } = message;
  if (direction !== 'inbound') return null;
  const isForged = authentication?.verdict === 'fail';
  return (
    <>
      {isForged && <p className={styles.bad}>{words('message.unverified')}</p>}
      {isSenderKnown === false && <p className={styles.plain}>{words('message.newSender')}</p>}
      {replyTo.length > 0 && (
        <p className={styles.plain}>
          {words('message.replyTo', { people: replyTo.join(', ') })}
          {onReplyTo !== undefined && (
            <Button look="quiet" className={styles.offer} onClick={() => onReplyTo(replyTo)}>
              {words('message.useReplyTo', { people: replyTo.join(', ') })}
            </Button>
          )}
        </p>
      )}
      {automaticKind !== null && <p className={styles.plain}>{words('message.automatic')}</p>}
      {truncated.length > 0 && <p className={styles.plain}>{words('message.truncated')}</p>}
    </>
  );
}
