import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { wipeKept } from '../api/kept.ts';
import { beginSignOut } from '../api/sign-out.ts';
import { forgetSignedIn } from '../api/signed-out.ts';
import { forgetParts, saveParts } from '../lib/at-sign-out.ts';
import { keptDrafts } from '../lib/kept-drafts.ts';
import { keepFor, keptFor, wipeChoices } from '../lib/kept-for.ts';
import { forgetChanges, hasStuckChanges } from '../tickets/changes.ts';
import { forgetLeaving } from '../tickets/sending/tell-sent.ts';
import { closeAllToasts } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { tellOtherTabs } from './other-tabs.ts';
import { meQuery } from './queries.ts';

const pushMsMax = 1_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Forgets all that this page and this browser know of a person: at a sign-out, and when another person signs in. */
export async function forgetPerson(): Promise<void> {
  forgetSignedIn();
  forgetParts();
  forgetChanges();
  forgetLeaving();
  closeAllToasts();
  queryClient.clear();
  wipeChoices();
  // The browser may refuse or hang; the service ends the subscription with the session.
  const withoutPush = Promise.race([forgetPush(), pause(pushMsMax)]);
  await Promise.all([withoutPush, wipeKept()]);
}

async function forgetPush(): Promise<void> {
  await import('../api/push.ts').then((push) => push.forgetPush()).catch(() => undefined);
}

/** Forgets the former person if the browser's data is not this person's. @returns whether it was another's */
export async function becomePerson(userId: string): Promise<boolean> {
  const isOther = keptFor() !== userId;
  if (isOther) await forgetPerson();
  keepFor(userId);
  return isOther;
}

/** Begins this page anew when the service answers that the session is another person's than the browser's data. */
export function followPerson(): void {
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== meQuery.queryKey[0]) return;
    const { data } = query.state as { data?: { user: { id: string } } };
    if (data === undefined) return;
    const before = keptFor();
    if (before === null) keepFor(data.user.id);
    else if (before !== data.user.id) void becomePerson(data.user.id).then(() => window.location.reload());
  });
}

/** A network that hangs must not hold a person back. */
const flushMsMax = 3_000;

/** Saves also a text whose draft the page has yet to read: `saveParts` passes it over. */
async function saveDrafts(): Promise<void> {
  const late = pause(flushMsMax).then(() => true);
  while (!(await Promise.race([saveParts().then(() => keptDrafts().length === 0), late]))) await pause(50);
}

/**
 * Signs out in this browser at once, also without a network. Asks first if something would be lost.
 * @returns whether the person has signed out
 */
export async function signOut(): Promise<boolean> {
  await saveDrafts();
  const isLoss = keptDrafts().length > 0 || hasStuckChanges();
  if (isLoss && !window.confirm(words('session.signOutLoses'))) return false;
  // Comes first, so that no request leaves with the cookie from here on.
  beginSignOut();
  await forgetPerson();
  tellOtherTabs(null);
  return true;
}

/** Ends every session of this person, the present session last. */
export async function signOutEverywhere(): Promise<boolean> {
  await saveParts();
  await dataOf(api.DELETE('/v1/me/sessions'));
  return signOut();
}
