import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { buttonClass } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';

/** Leads from one thing of a list back to the list. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <p>
      <Link href={href} className={buttonClass('quiet')}>
        <Icon name="back" />
        {children}
      </Link>
    </p>
  );
}
