import type { Operation } from './operation.ts';
import { appendNote } from './operations/append-note.ts';
import { changeStatus } from './operations/change-status.ts';
import { countUnread } from './operations/count-unread.ts';
import { createTicket } from './operations/create-ticket.ts';
import { listNotifications } from './operations/list-notifications.ts';
import { listings } from './operations/list-tickets.ts';
import { readLongTicket, readTicket } from './operations/read-ticket.ts';
import { receiveMailA } from './operations/receive-mail-a.ts';
import { refreshSession } from './operations/refresh-session.ts';
import { refuse } from './operations/refuse.ts';
import { searches } from './operations/search.ts';

/** The operations of `npm run bench`, in the order of the table. */
export const operations: readonly Operation[] = [
  readTicket,
  readLongTicket,
  ...listings,
  ...searches,
  countUnread,
  listNotifications,
  refuse,
  receiveMailA,
  refreshSession,
  changeStatus,
  appendNote,
  createTicket,
];
