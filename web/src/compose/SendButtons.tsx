import { commandProps, keysOf } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import buttonStyles from '../ui/Button.module.css';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { KeyCap } from '../ui/KeyCap.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import type { Composing } from './use-composer.ts';

/** The button that sends, and beside it a menu with further ways. Notes and forwarded messages say what they are. */
export function SendButtons({ composing }: { composing: Composing }) {
  const { isNote, canSend, submit, content } = composing;
  const { forwardOf } = content;
  const text = isNote ? 'compose.addNote' : forwardOf === null ? 'compose.send' : 'message.forward';
  const ways = [
    { id: 'sendAndClose', text: words('compose.sendAndClose'), run: () => submit({ thenStatus: 'closed' }) },
    { id: 'sendAndSnooze', text: words('compose.sendAndSnooze'), run: composing.submitAndSnooze },
    { id: 'sendLater', text: words('compose.sendLater'), run: composing.submitLater },
  ] as const;
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
      {!isNote && (
        <MenuButton
          label={words('compose.moreSends')}
          aria-label={words('compose.moreSends')}
          title={words('compose.moreSends')}
          className={`${buttonStyles.button} ${buttonStyles.primary} ${styles.moreSends}`}
          disabled={!canSend}
          items={() => [ways.map((way) => ({ ...way, detail: keyOf(way.id) }))]}
        >
          <Icon name="down" />
        </MenuButton>
      )}
    </div>
  );
}

function keyOf(id: 'sendAndClose' | 'sendAndSnooze' | 'sendLater'): string | undefined {
  const [key] = keysOf(id);
  return key === undefined ? undefined : keyWords(key);
}
