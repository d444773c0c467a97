import { keysOf } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import buttonStyles from '../ui/Button.module.css';
import { Icon } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';

type Way = 'sendAndClose' | 'sendAndSnooze' | 'sendLater';
type Props = { ways: Partial<Record<Way, () => void>>; disabled: boolean };

/** The menu beside a button that sends, with further ways. */
export function MoreSends({ ways, disabled }: Props) {
  const items = () => [
    (Object.entries(ways) as [Way, () => void][]).map(([id, run]) => {
      const [key] = keysOf(id);
      return { id, text: words(`compose.${id}`), detail: key === undefined ? undefined : keyWords(key), run };
    }),
  ];
  return (
    <MenuButton
      label={words('compose.moreSends')}
      aria-label={words('compose.moreSends')}
      title={words('compose.moreSends')}
      className={`${buttonStyles.button} ${buttonStyles.primary} ${styles.moreSends}`}
      disabled={disabled}
      items={items}
    >
      <Icon name="down" />
    </MenuButton>
  );
}
