import type { Ref } from 'react';
import { commandProps, keysOf } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { IconButton } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import type { MenuItem } from '../ui/MenuItems.tsx';
import { Segmented } from '../ui/Segmented.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { isNothing } from './draft/draft-content.ts';
import { Recipients } from './recipients/Recipients.tsx';
import type { Composing } from './use-composer.ts';

type Props = { composing: Composing; ccField: Ref<HTMLInputElement> };

/** Whether the text is an answer or a note, and who reads it. */
export function ComposerHead({ composing, ccField }: Props) {
  const { isNote, onMode, ticket, content, write, recipients, chooseRecipients, isCcShown, setIsCcShown } = composing;
  return (
    <div className={styles.head}>
      <IconButton
        className={styles.close}
        icon="close"
        aria-label={words('compose.close')}
        onClick={() => onMode(undefined)}
      />
      <Segmented label={words('compose.kind')}>
        <button type="button" {...commandProps('answer')} aria-pressed={!isNote} onClick={() => onMode('answer')}>
          {words('compose.answer')}
        </button>
        <button type="button" {...commandProps('note')} aria-pressed={isNote} onClick={() => onMode('note')}>
          {words('compose.note')}
        </button>
      </Segmented>
      {isNote ? (
        <p className={styles.internal}>
          <Icon name="lock" size={12} />
          {words('compose.internal')}
        </p>
      ) : (
        <Recipients
          ticket={ticket}
          addresses={recipients}
          from={content.fromAddress}
          onFrom={(fromAddress) => write({ fromAddress })}
          onChange={chooseRecipients}
          isCcShown={isCcShown}
          onCc={() => setIsCcShown(true)}
          ccRef={ccField}
        />
      )}
    </div>
  );
}

/** Takes the text along to the other kind; the buttons in the head leave it where it is. */
export function switchTool({ isNote, content, switchMode }: Composing): MenuItem[] {
  const [key] = keysOf('switchMode');
  if (isNothing(content)) return [];
  return [
    {
      id: 'switchMode',
      icon: isNote ? 'reply' : 'lock',
      text: words(isNote ? 'compose.toAnswer' : 'compose.toNote'),
      detail: key === undefined ? undefined : keyWords(key),
      run: switchMode,
    },
  ];
}
