import type { ReactNode } from 'react';
import type { Message } from '../api/client.ts';
import { useMembers } from '../people/MemberFace.tsx';
import { personOf } from '../tickets/persons.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import styles from './Warnings.module.css';

type Props = {
  message: Message;
  onReplyTo?: ((addresses: string[]) => void) | undefined;
  requester?: RequesterChoice | undefined;
};

/** The requester of the ticket, and how to make another person the requester. */
export type RequesterChoice = { email: string; onChange: (email: string) => void };

/** Warnings about an inbound message. Its Reply-To addresses are only offered, never used by default. */
export function Warnings({ message, onReplyTo, requester }: Props) {
  const { authentication, isSenderKnown, forwardedBy, replyTo, truncated, automaticKind, direction } = message;
  if (direction !== 'inbound') return null;
  const isForged = authentication?.verdict === 'fail';
  return (
    <>
      {isForged && <Line isBad>{words('message.unverified')}</Line>}
      {forwardedBy === null ? (
        isSenderKnown === false && <Line>{words('message.newSender')}</Line>
      ) : (
        <ForwardedLine {...{ message, forwardedBy, requester }} />
      )}
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

/** Says who forwarded a mail. While its writer is the requester, the member may become the requester instead. */
function ForwardedLine({
  message,
  forwardedBy,
  requester,
}: Pick<Props, 'message' | 'requester'> & { forwardedBy: string }) {
  const found = useMembers().get(forwardedBy);
  const member = found?.name ?? words('event.formerMember');
  const offersUndo = found !== undefined && requester !== undefined && requester.email === message.author.email;
  return (
    <Line
      offer={
        offersUndo && (
          <Button look="quiet" size="tool" onClick={() => requester.onChange(found.email)}>
            {words('message.forwardUndo', { member })}
          </Button>
        )
      }
    >
      {words('message.forwardedBy', { member, person: personOf(message) })}
    </Line>
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
