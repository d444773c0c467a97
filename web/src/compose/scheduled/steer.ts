import { navigate } from 'wouter/use-browser-location';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { soonTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { countsQuery } from '../../tickets/counts/counts.ts';
import { refreshTicket } from '../../tickets/sending/sending.ts';
import { forWriter, isEntered } from '../../tickets/sending/tell-sent.ts';
import { forgetDone, remember } from '../../tickets/undo.ts';
import { faultWords } from '../../ui/fault-words.ts';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { keeperOf, leaveKeeper } from '../draft/draft-keepers.ts';
import { ticketHome } from '../draft/draft-store.ts';
import { draftsQuery } from '../queries.ts';

/** A scheduled mail, wherever it is shown. */
export type ScheduledAnswer = { id: string; ticketId: string; authorId: string | null };
export type Steering = { verb: 'retry' | 'cancel' } | { verb: 'reschedule'; sendAt: string };
type Place = { workspaceId: string; userId: string };

const undoKey = (messageId: string) => `scheduled ${messageId}`;

/** Says for when a mail is scheduled, once the service has it, and lets its writer undo that. */
export function tellWhenScheduled(
  sent: Promise<{ id: string; ticketId: string; ticketNumber: number }>,
  { workspaceId, userId }: Place,
  sendAt: string,
): void {
  forWriter(sent, ({ id, ticketId, ticketNumber: number }) => {
    if (!isEntered(workspaceId)) return;
    const cancel = () => {
      navigate(paths.ticket(number, window.location.search.slice(1)));
      const answer = { id, ticketId, authorId: userId };
      steerScheduled({ workspaceId, userId }, answer, { verb: 'cancel' }).catch((error: unknown) =>
        showToast(faultWords(error), { isBad: true }),
      );
    };
    const text = words('schedule.done', { number, time: soonTime(new Date(sendAt)) });
    remember({ key: undoKey(id), text, takeBack: cancel });
  });
}

/** Sends a scheduled mail now, changes its time, or cancels it: its text is then its author's draft again. */
export async function steerScheduled(place: Place, answer: ScheduledAnswer, steering: Steering): Promise<void> {
  const { workspaceId, userId } = place;
  try {
    await ask(place, answer, steering);
    if (steering.verb === 'reschedule')
      showToast(words('schedule.moved', { time: soonTime(new Date(steering.sendAt)) }));
    else {
      forgetDone(undoKey(answer.id));
      const back = answer.authorId === userId ? 'schedule.ownNotSent' : 'schedule.notSent';
      showToast(words(steering.verb === 'retry' ? 'schedule.now' : back));
    }
  } finally {
    // After a refusal too: a colleague was faster.
    refreshTicket(workspaceId, answer.ticketId);
    await Promise.all([
      queryClient.invalidateQueries(draftsQuery(workspaceId, answer.ticketId)),
      queryClient.invalidateQueries(countsQuery(workspaceId)),
    ]);
  }
}

async function ask({ workspaceId, userId }: Place, { id, ticketId }: ScheduledAnswer, steering: Steering) {
  const path = { ticketId, messageId: id };
  const service = inWorkspace(workspaceId);
  if (steering.verb === 'reschedule') {
    const { sendAt } = steering;
    await service.POST('/tickets/{ticketId}/messages/{messageId}/reschedule', { path, body: { sendAt } });
    return;
  }
  if (steering.verb === 'cancel') {
    // The service joins the text with the draft that it has.
    const home = ticketHome(userId, { workspaceId, ticketId, kind: 'answer' });
    await leaveKeeper(home, keeperOf(home));
  }
  await service.POST(`/tickets/{ticketId}/messages/{messageId}/${steering.verb}`, { path });
}
