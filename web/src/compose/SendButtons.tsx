import { commandProps, keysOf } from '../commands.ts';
import { Button } from '../ui/Button.tsx';
import { KeyCap } from '../ui/KeyCap.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { MoreSends } from './MoreSends.tsx';
import type { Composing } from './use-composer.ts';

/** The button that sends, and beside it a menu with further ways. Notes and forwarded messages say what they are. */
export function SendButtons({ composing }: { composing: Composing }) {
  const { isNote, canSend, submit, content } = composing;
  const { forwardOf } = content;
  const text = isNote ? 'compose.addNote' : forwardOf === null ? 'compose.send' : 'message.forward';
  const ways = {
    sendAndClose: () => submit({ thenStatus: 'closed' }),
    sendAndSnooze: composing.submitAndSnooze,
    sendLater: composing.submitLater,
  };
  return (
    <div className={styles.send}>
      <Button
        {...commandProps('send')}
        look="primary"
        className={isNote ? styles.addNote : undefined}
        disabled={!canSend}
        onClick={() => submit()}
      >
        {words(text)}
        <KeyCap keys={keysOf('send')[0]} />
      </Button>
      {!isNote && <MoreSends ways={ways} disabled={!canSend} />}
    </div>
  );
}
