import { words } from '../../words/words.ts';

const name = 'kontor_refusal';

/**
 * Why the consent that has just come back was refused. The service puts the reason into a cookie for this page. After a
 * reload only the address tells that there was a refusal.
 */
export function takeRefusal(): string | undefined {
  const isRefused = new URLSearchParams(window.location.search).get('consent') === 'refused';
  if (!isRefused) return undefined;
  const found = document.cookie.split('; ').find((cookie) => cookie.startsWith(`${name}=`));
  return found === undefined ? words('mailboxes.refusedBefore') : decodeURIComponent(found.slice(name.length + 1));
}
