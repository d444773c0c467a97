import type { ReactNode } from 'react';
import type { Message } from '../api/client.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
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
      {isForged && <Line isBad>{words('message.unverified')}</Line>}
      {isSenderKnown === false && <Line>{words('message.newSender')}</Line>}
      {replyTo.length > 0 && (
        <Line
          offer={
            onReplyTo !== undefined && (
              <Button look="quiet" size="tool" onClick={() => onReplyTo(replyTo)}>
                {words('message.useReplyTo', { people: replyTo.join(', ') })}
              </Button>
            )
          }
        >
          {words('message.replyTo', { people: replyTo.join(', ') })}
        </Line>
      )}
      {automaticKind !== null && <Line>{words('message.automatic')}</Line>}
      {truncated.length > 0 && <Line>{words('message.truncated')}</Line>}
    </>
  );
}

function Line({ isBad = false, offer, children }: { isBad?: boolean; offer?: ReactNode; children: string }) {
  return (
    <div className={isBad ? styles.bad : styles.plain}>
      <Icon name={isBad ? 'alert' : 'info'} />
      <p>{children}</p>
      {offer}
    </div>
  );
}
