import { type ReactNode, useId } from 'react';
import styles from './Gallery.module.css';

type Props = { title: string; children: ReactNode; isWide?: boolean };

/** A component with its states. */
export function Part({ title, children, isWide = false }: Props) {
  const id = useId();
  return (
    <section className={styles.part} data-wide={isWide || undefined} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div className={styles.states}>{children}</div>
    </section>
  );
}

/** Words that do not break, as German and addresses have them. */
export const longWord = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen';
export const longText = `The order ${longWord} of Accounts Payable at the Northgate parks department`;
export const arabic = 'طلب رقم 48402 متأخر';

/** The script that takes the pictures lets these elements look hovered or focused. */
export const hovered = { 'data-force': 'hover' };
export const focused = { 'data-force': 'focus' };
