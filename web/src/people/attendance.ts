import { useEffect, useRef } from 'react';
import { inWorkspace } from '../api/client.ts';
import { type PresentPerson, receivePresence } from '../tickets/presence.ts';

export type OwnState = PresentPerson['state'];
type Place = { workspaceId: string; ticketId: string };

/** Half of the 20 seconds after which the service forgets a person. */
const beatMs = 10_000;
/** A person who steps through tickets faster does not count as viewing them. */
const settleMs = 500;
/** A person without input for so long counts as away. */
const idleMsMax = 5 * 60_000;
const touches = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

/** Reports the person's state at a ticket to colleagues, while the tab is visible and in use. */
export function useAttendance(workspaceId: string, ticketId: string | undefined, state: OwnState): void {
  const attendance = useRef<ReturnType<typeof attend>>(undefined);
  useEffect(() => {
    if (ticketId === undefined) return;
    const begun = attend({ workspaceId, ticketId });
    attendance.current = begun;
    return begun.leave;
  }, [workspaceId, ticketId]);
  useEffect(() => {
    if (ticketId !== undefined) attendance.current?.change(state);
  }, [ticketId, state]);
}

function attend(place: Place) {
  let state: OwnState = 'viewing';
  let isSaid = false;
  let touchedAtMs = performance.now();
  const say = openSayer(place);
  const beat = () => {
    clearTimeout(timer);
    timer = setTimeout(beat, beatMs);
    if (document.hidden || performance.now() - touchedAtMs > idleMsMax) sayLeft();
    else {
      isSaid = true;
      void say(state);
    }
  };
  const sayLeft = () => {
    if (isSaid) void say('left');
    isSaid = false;
  };
  const onTouch = () => {
    const wasIdle = performance.now() - touchedAtMs > idleMsMax;
    touchedAtMs = performance.now();
    if (wasIdle) beat();
  };
  let timer = setTimeout(beat, settleMs);
  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener('visibilitychange', beat, { signal });
  window.addEventListener('pagehide', sayLeft, { signal });
  for (const touch of touches) window.addEventListener(touch, onTouch, { signal, passive: true });
  return {
    change: (next: OwnState) => {
      if (next === state) return;
      state = next;
      beat();
    },
    leave: () => {
      clearTimeout(timer);
      listening.abort();
      sayLeft();
    },
  };
}

/** Sends states one after the other, so that the last wins. While a request is slow, only the newest state waits. */
function openSayer({ workspaceId, ticketId }: Place) {
  let isUnderWay = false;
  let next: OwnState | 'left' | undefined;
  const put = async (state: OwnState | 'left') => {
    const { people } = await inWorkspace(workspaceId).PUT('/tickets/{ticketId}/presence', {
      path: { ticketId },
      body: { state },
      // Lets a closing page still report that its person has left.
      keepalive: true,
    });
    receivePresence(workspaceId, ticketId, people);
  };
  return async (state: OwnState | 'left') => {
    next = state;
    if (isUnderWay) return;
    isUnderWay = true;
    while (next !== undefined) {
      const said = next;
      next = undefined;
      // The next beat sends the state again.
      await put(said).catch(() => undefined);
    }
    isUnderWay = false;
  };
}
