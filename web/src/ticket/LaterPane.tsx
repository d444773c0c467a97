import { later } from '../ui/later.tsx';
import type { TicketPaneProps } from './TicketPane.tsx';
import { useSilenceUntil } from './use-silence.ts';

/** The open ticket, in a chunk of its own: a list needs none of it. */
export const LaterPane = later(() => import('./TicketPane.tsx'), 'TicketPane', undefined, PaneToCome);

function PaneToCome({ composing }: TicketPaneProps) {
  useSilenceUntil(composing === undefined);
  return null;
}
