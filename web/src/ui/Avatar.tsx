import { initialsOf } from '../lib/initials.ts';
import styles from './Avatar.module.css';

type Props = {
  name: string;
  /** An address or id, from which the colour comes. It stays the same wherever the person is shown. */
  of: string;
  /** Colleagues are filled, customers tinted. */
  isTeam?: boolean;
  size?: 16 | 20 | 24 | 32 | 40 | 56;
};

/**
 * The coloured initials of a person. They are drawn, and no text: a name stands beside them or labels their place, and
 * people do not say initials to click there.
 */
export function Avatar({ name, of, isTeam = false, size = 32 }: Props) {
  const initials = initialsOf(name);
  return (
    <span
      className={styles.avatar}
      data-team={isTeam || undefined}
      data-size={size}
      data-hue={hueOf(of)}
      data-initials={size === 16 ? initials.slice(0, 1) : initials}
      aria-hidden="true"
    />
  );
}

/** @returns one of ten hues, always the same for the same text */
export function hueOf(text: string): number {
  let hash = 0;
  for (const letter of text.toLowerCase()) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % 10;
}
