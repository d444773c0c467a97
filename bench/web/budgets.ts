/** Limits for the 95th percentile, in milliseconds or in the unit that the name says. */
export const budgets: Readonly<Record<string, number>> = {
  'cold load to rows': 500,
  'warm load to rows': 250,
  'next ticket (j)': 50,
  'close and next (e)': 50,
  'list, first visit': 100,
  'list, in the cache': 50,
  'ticket that was not asked for': 150,
  'key in the composer': 16,
  'send to undo': 50,
  'live, from screen to screen': 300,
  'scrolling: longest task': 50,
  'scrolling: elements': 1_500,
  'heap after 200 tickets, MB': 60,
  'mail frames': 12,
};
