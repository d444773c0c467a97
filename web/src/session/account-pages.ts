import { later } from '../ui/later.tsx';

const reloadedAt = 'kontor.reloaded';
/** Where the chunk is missing for good, the page must not reload for ever. */
const reloadEveryMs = 10_000;

/** These pages have no banner that offers to reload them, and hold nothing that a reload would lose. */
function reload(): void {
  if (Date.now() - Number(sessionStorage.getItem(reloadedAt)) < reloadEveryMs) return;
  sessionStorage.setItem(reloadedAt, String(Date.now()));
  window.location.reload();
}

export const AccountPages = later(() => import('./AccountRoutes.tsx'), 'AccountRoutes', reload);
