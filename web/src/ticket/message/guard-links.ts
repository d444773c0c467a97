import { loadWords, words } from '../../words/words.ts';
import { otherHost } from './link-host.ts';

/** Asks the person before a link of a mail leads elsewhere than its text says. */
export async function guardLinks(mail: Document): Promise<void> {
  await loadWords('later');
  // A middle click opens a link too, and sends no `click`.
  for (const type of ['click', 'auxclick'] as const) mail.addEventListener(type, ask);
}

function ask(event: MouseEvent): void {
  // The classes of the page do not fit: the element is of the frame's own realm.
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  const hosts = link && otherHost(link.textContent, link.href);
  if (hosts && !window.confirm(words('message.linkElsewhere', hosts))) event.preventDefault();
}
