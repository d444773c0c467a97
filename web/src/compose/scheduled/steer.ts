import { queryClient } from '../../api/cache.ts';
import { inWorkspace, type Message } from '../../api/client.ts';
import { soonTime } from '../../lib/dates.ts';
import { countsQuery } from '../../tickets/counts.ts';
import { refreshTicket } from '../../tickets/sending/sending.ts';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { keeperOf } from '../draft/draft-keepers.ts';
import { ticketHome } from '../draft/draft-store.ts';
import { draftsQuery } from '../queries.ts';

/** A scheduled answer, wherever it is shown. */
export type ScheduledAnswer = { id: string; ticketId: string };
export type Steering = { verb: 'retry' | 'cancel' } | { verb: 'reschedule'; sendAt: string };

/** Says for when an answer is scheduled, once the service has it. */
export function tellWhenScheduled(sent: Promise<Message>, number: number, sendAt: string): void {
  const tell = () => showToast(words('schedule.done', { number, time: soonTime(new Date(sendAt)) }));
  // The composer shows the error.
  sent.then(tell, () => undefined);
}

/** Sends a scheduled answer now, changes its time, or cancels it: its text is then its author's draft again. */
export async function steerScheduled(
  { workspaceId, userId }: { workspaceId: string; userId: string },
  { id, ticketId }: ScheduledAnswer,
  steering: Steering,
): Promise<void> {
  const path = { ticketId, messageId: id };
  const service = inWorkspace(workspaceId);
  if (steering.verb === 'reschedule') {
    const { sendAt } = steering;
    await service.POST('/tickets/{ticketId}/messages/{messageId}/reschedule', { path, body: { sendAt } });
  } else {
    // The service joins the text with the draft that it has.
    if (steering.verb === 'cancel')
      await keeperOf(ticketHome(userId, { workspaceId, ticketId, kind: 'answer' })).flush();
    await service.POST(`/tickets/{ticketId}/messages/{messageId}/${steering.verb}`, { path });
  }
  refreshTicket(workspaceId, ticketId);
  await Promise.all([
    queryClient.invalidateQueries(draftsQuery(workspaceId, ticketId)),
    queryClient.invalidateQueries(countsQuery(workspaceId)),
  ]);
}
