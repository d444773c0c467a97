import { type ComponentProps, type ReactNode, useId, useRef, useState } from 'react';
import { later } from './later.tsx';
import type { MenuItem } from './MenuItems.tsx';
import styles from './Panel.module.css';

type Props = Omit<ComponentProps<'button'>, 'onClick' | 'popoverTarget'> & {
  /** The name of the menu for screen readers. */
  label: string;
  /** Groups of items, with a line between them. Called when the menu opens. */
  items: () => readonly (readonly MenuItem[])[];
  children: ReactNode;
};

const MenuItems = later(() => import('./MenuItems.tsx'), 'MenuItems');

/** A button, and the menu that it opens. The browser closes the menu and gives the focus back to the button. */
export function MenuButton({ label, items, children, ...button }: Props) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" aria-haspopup="menu" {...button} aria-expanded={isOpen} popoverTarget={id}>
        {children}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={styles.menu}
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && <MenuItems label={label} groups={items()} onClose={() => panel.current?.hidePopover()} />}
      </div>
    </>
  );
}
