import { type ReactNode, useId, useRef, useState } from 'react';
import { Button, IconButton } from './Button.tsx';
import type { IconName } from './Icon.tsx';
import styles from './Panel.module.css';

type Props = {
  label: string;
  /** The button stands in a row of chips. */
  isChip?: boolean;
  /** Shown in place of the label. */
  icon?: IconName;
  /** The content of the panel, mounted anew each time the panel opens. */
  children: (close: () => void) => ReactNode;
};

/** A button, and the panel that it opens. */
export function PanelButton({ label, isChip = false, icon, children }: Props) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      {icon === undefined ? (
        <Button className={isChip ? styles.chip : undefined} popoverTarget={id}>
          {label}
        </Button>
      ) : (
        <IconButton icon={icon} aria-label={label} aria-haspopup="dialog" aria-expanded={isOpen} popoverTarget={id} />
      )}
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={styles.panel}
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
