import type { ComponentProps } from 'react';
import styles from './Button.module.css';

type Props = ComponentProps<'button'> & { look?: 'plain' | 'primary' | 'quiet' };

export function Button({ look = 'plain', type = 'button', className, ...rest }: Props) {
  return (
    <button type={type} className={[styles.button, styles[look], className].filter(Boolean).join(' ')} {...rest} />
  );
}
