import { queryClient } from '../api/cache.ts';
import { answerSignedOut } from '../api/signed-out.ts';
import { meQuery } from './queries.ts';

/** The session belongs to the browser: its other tabs act for the person who signs in here. */
const channel = new BroadcastChannel('kontor.session');

/** @param userId null after a sign-out */
export function tellOtherTabs(userId: string | null): void {
  channel.postMessage(userId);
}

/**
 * Begins this page anew when another tab signs out, or signs in another person.
 * @param forget deletes what this page knows of its person
 */
export function followOtherTabs(forget: () => Promise<void>): void {
  channel.onmessage = async ({ data: userId }: MessageEvent<string | null>) => {
    const me = queryClient.getQueryData(meQuery.queryKey);
    if (me === undefined) return;
    // The same person signed in again there, so requests that wait here go on too.
    if (me.user.id === userId) return answerSignedOut(true);
    await forget();
    window.location.reload();
  };
}
