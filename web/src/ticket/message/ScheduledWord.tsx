import { useRef } from 'react';
import type { Message } from '../../api/client.ts';
import { ScheduledTools } from '../../compose/scheduled/ScheduledTools.tsx';
import { fullTime, soonTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './Delivery.module.css';

type Props = { message: Message; delivery: NonNullable<Message['delivery']> };

/** When a scheduled answer leaves. Nobody is to take it for sent. */
export function ScheduledWord({ message, delivery: { nextAttemptAt, unlessReplied } }: Props) {
  const { workspace } = usePlace();
  const word = useRef<HTMLDivElement>(null);
  const at = nextAttemptAt ?? message.createdAt;
  const time = soonTime(new Date(at));
  return (
    <div ref={word} className={styles.delivery} data-status="scheduled">
      <Icon name="clock" size={14} />
      <time dateTime={at} title={fullTime(at)}>
        {words(unlessReplied === false ? 'schedule.at' : 'schedule.atUnlessReplied', { time })}
      </time>
      {workspace.role !== 'viewer' && message.isBeingSent !== true && (
        <ScheduledTools
          answer={{ id: message.id, ticketId: message.ticketId, authorId: message.author.userId }}
          look="quiet"
          className={styles.button}
          onLeave={() => word.current?.closest('article')?.focus()}
        />
      )}
    </div>
  );
}
