import { useEffect } from 'react';
import { queryClient } from './cache.ts';

type Told = { ticketId?: string; ticket?: { ticketNumber: number } };

/** Events within this time are applied together. */
const gatherMs = 150;

/** Keeps what is shown of a workspace up to date by its stream of events. The browser resumes a stream that breaks. */
export function useLive(workspaceId: string): void {
  useEffect(() => {
    const source = new EventSource(`/v1/workspaces/${workspaceId}/events/stream`);
    const numbers = new Set<number>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const apply = () => {
      timer = undefined;
      for (const number of numbers)
        void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'ticket', number] });
      numbers.clear();
      void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'tickets'] });
    };
    const onTicket = ({ data }: MessageEvent<string>) => {
      const { ticket } = JSON.parse(data) as Told;
      if (ticket !== undefined) numbers.add(ticket.ticketNumber);
      timer ??= setTimeout(apply, gatherMs);
    };
    source.addEventListener('ticket', onTicket);
    source.addEventListener('message', onTicket);
    source.addEventListener('reset', () => {
      void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    });
    source.addEventListener('end', () => {
      source.close();
      void queryClient.invalidateQueries({ queryKey: ['me'] });
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [workspaceId]);
}
