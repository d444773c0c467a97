import { MenuItem as AriaItem, Menu, MenuSection, Separator } from 'react-aria-components';
import { Icon, type IconName } from './Icon.tsx';
import styles from './MenuItems.module.css';

export type MenuItem = {
  id: string;
  text: string;
  icon?: IconName | undefined;
  /** Shown at the end of the line: a key, a number. */
  detail?: string | undefined;
  isDanger?: boolean;
  /** Given for all items of a menu that chooses one value. */
  isChosen?: boolean;
  /** It stands there with its reason, and cannot be chosen. */
  isDisabled?: boolean | undefined;
  run: () => void;
};

type Props = { label: string; groups: readonly (readonly MenuItem[])[]; onClose: () => void };

/** The lines of a menu, for arrow keys, first letters, ⏎ and pointer. */
export function MenuItems({ label, groups, onClose }: Props) {
  const all = groups.flat();
  const chosen = all.filter(({ isChosen }) => isChosen === true).map(({ id }) => id);
  return (
    <Menu
      className={styles.menu ?? ''}
      aria-label={label}
      autoFocus
      selectionMode={all.some(({ isChosen }) => isChosen !== undefined) ? 'single' : 'none'}
      selectedKeys={chosen}
      disabledKeys={all.filter(({ isDisabled }) => isDisabled).map(({ id }) => id)}
      onAction={(key) => {
        // Closes first, so that the focus is back at the button before the action moves it on.
        onClose();
        all.find(({ id }) => id === key)?.run();
      }}
      onClose={onClose}
    >
      {groups.flatMap((items, at) => [
        at > 0 && <Separator key={`line ${items[0]?.id}`} className={styles.line ?? ''} />,
        <MenuSection key={items[0]?.id} aria-label={items[0]?.text ?? ''}>
          {items.map((item) => (
            <Line key={item.id} item={item} />
          ))}
        </MenuSection>,
      ])}
    </Menu>
  );
}

function Line({ item: { id, text, icon, detail, isDanger = false, isChosen = false } }: { item: MenuItem }) {
  return (
    <AriaItem id={id} textValue={text} className={styles.item ?? ''} data-danger={isDanger || undefined}>
      {icon !== undefined && <Icon name={icon} />}
      <span className={styles.text} dir="auto">
        {text}
      </span>
      {detail !== undefined && <span className={styles.detail}>{detail}</span>}
      {isChosen && <Icon name="check" />}
    </AriaItem>
  );
}
