import type { ComponentProps } from 'react';
import styles from './Button.module.css';
import { Icon, type IconName } from './Icon.tsx';

type Look = 'plain' | 'primary' | 'tonal' | 'quiet' | 'danger';
type Props = ComponentProps<'button'> & { look?: Look; size?: 'tool' | 'control' | 'large' };

/** Tools stand in a row of icons (28 px), controls in forms and heads (32), large buttons where one signs in (40). */
export function Button({ look = 'plain', size = 'control', type = 'button', className, ...rest }: Props) {
  const names = [buttonClass(look), size !== 'control' && styles[size], className];
  return <button type={type} className={names.filter(Boolean).join(' ')} {...rest} />;
}

/** For a link that looks like a button. */
export function buttonClass(look: Look): string {
  return [styles.button, styles[look]].filter(Boolean).join(' ');
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  icon: IconName;
  'aria-label': string;
  size?: 'tool' | 'control';
};

/** For a menu whose button is only an icon. */
export const iconButtonLook = styles.icon;

/** A button that is only an icon. Its label is also its tooltip, unless `title` says more. */
export function IconButton({ icon, size = 'tool', type = 'button', className, title, ...rest }: IconButtonProps) {
  const names = [styles.icon, size === 'control' && styles.wide, className];
  return (
    <button type={type} className={names.filter(Boolean).join(' ')} title={title ?? rest['aria-label']} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

/** Three dots that stand for a folded text, such as a quote, and open it. */
export function DotsButton({ label, ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button type="button" className={styles.dots} aria-label={label} title={label} {...rest}>
      <Icon name="more" size={14} />
    </button>
  );
}
