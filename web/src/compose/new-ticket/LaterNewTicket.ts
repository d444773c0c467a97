import { later } from '../../ui/later.tsx';

/** The card of a new ticket, in a chunk of its own: a list needs none of it. */
export const LaterNewTicket = later(() => import('./NewTicketPage.tsx'), 'NewTicketPage');
