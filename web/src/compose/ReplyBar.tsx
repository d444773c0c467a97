import { commandProps, keysOf } from '../commands.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { KeyCap } from '../ui/KeyCap.tsx';
import { words } from '../words/words.ts';
import styles from './ReplyBar.module.css';
import { nameIn } from './recipients/name-in.ts';
import type { Composing } from './use-composer.ts';

type Props = {
  composing: Composing;
  /** A draft's card stands below. A phone shows the bar alone, with the beginning of the draft. */
  isOpen: boolean;
};

/** The composer before the person writes: it leaves the room to the messages. */
export function ReplyBar({ composing: { ticket, recipients, content, onMode, isNote }, isOpen }: Props) {
  const [first] = recipients.to;
  const name = first === undefined ? undefined : (nameIn(ticket)(first) ?? first);
  const begun = content.body.trim();
  return (
    <div className={styles.bar} data-begun={isOpen || undefined} data-note={isNote || undefined}>
      <button
        type="button"
        {...commandProps('answer')}
        className={styles.open}
        onClick={() => onMode(isNote ? 'note' : 'answer')}
      >
        <Icon name={isNote ? 'lock' : 'reply'} />
        <span className={styles.words} dir="auto">
          {begun !== '' && <b>{words('row.draft')} </b>}
          {begun !== '' && begun.slice(0, 100)}
          {begun === '' && name !== undefined && words('compose.replyTo', { name })}
          {begun === '' && name === undefined && words('compose.reply')}
        </span>
        <KeyCap keys={keysOf('answer')[0]} />
      </button>
      <Button look="quiet" size="tool" {...commandProps('note')} onClick={() => onMode('note')}>
        <Icon name="lock" />
        {words('compose.addNote')}
        <KeyCap keys={keysOf('note')[0]} />
      </Button>
    </div>
  );
}
