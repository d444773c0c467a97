import type { icons } from './icons.ts';

export type IconName = keyof typeof icons;

/** A picture beside a label, or in its place where there is no room. Screen readers skip it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: 12 | 14 | 16 | 20 }) {
  return (
    <svg className="icon" data-size={size} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}
