import type { IconName } from './Icon.tsx';

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
