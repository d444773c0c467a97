import type { Live } from '../../ground/database/live.ts';
import type { Signal } from '../../ground/database/signals.ts';
import type { TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { PresenceState, PresentPerson } from './schema.ts';

/** A person who sends no beat for this long has left. */
const presenceMsMax = 20_000;
/** Streams get at most one update a second for each ticket. */
const toldEveryMs = 1_000;
const beatEvent = 'presence.beat';

type Beat = { ticketId: TicketId; userId: UserId; state: PresenceState | null };
type Present = { state: PresenceState; untilMs: number };
type TicketPresence = {
  people: Map<UserId, Present>;
  toldAtMs: number;
  /** What streams were told last, as JSON. */
  told: string;
  timer: NodeJS.Timeout | undefined;
};

/**
 * Keeps who is at which ticket, in the memory of each process. Beats reach all processes as signals, and each process
 * updates its own streams. A new process knows everybody after one beat. Nothing is stored.
 */
export class PresenceBoard {
  readonly #live: Live;
  readonly #workspaces = new Map<WorkspaceId, Map<TicketId, TicketPresence>>();
  #unfollow: (() => void) | undefined;

  constructor(live: Live) {
    this.#live = live;
  }

  /** Starts listening to the beats of all processes. */
  open(): void {
    this.#unfollow ??= this.#live.followSignals((signal) => this.#hear(signal));
  }

  /** Tells all processes that a person is at a ticket, or has left it. */
  beat(workspaceId: WorkspaceId, beat: Beat): void {
    this.#live.signal({ workspaceId, userId: null, event: beatEvent, data: beat, isInternal: true });
  }

  peopleAt(workspaceId: WorkspaceId, ticketId: TicketId): PresentPerson[] {
    const place = this.#workspaces.get(workspaceId)?.get(ticketId);
    return place === undefined ? [] : peopleIn(place);
  }

  ticketsOf(workspaceId: WorkspaceId): { ticketId: TicketId; people: PresentPerson[] }[] {
    const places = [...(this.#workspaces.get(workspaceId) ?? [])];
    return places
      .map(([ticketId, place]) => ({ ticketId, people: peopleIn(place) }))
      .filter(({ people }) => people.length > 0);
  }

  close(): void {
    this.#unfollow?.();
    for (const places of this.#workspaces.values()) for (const { timer } of places.values()) clearTimeout(timer);
    this.#workspaces.clear();
  }

  #hear({ workspaceId, event, data }: Signal): void {
    if (event !== beatEvent) return;
    const { ticketId, userId, state } = data as Beat; // as `beat` sends it
    const place = this.#placeOf(workspaceId, ticketId);
    if (state === null) place.people.delete(userId);
    else place.people.set(userId, { state, untilMs: performance.now() + presenceMsMax });
    this.#settle(workspaceId, ticketId, place);
  }

  #placeOf(workspaceId: WorkspaceId, ticketId: TicketId): TicketPresence {
    const places = this.#workspaces.get(workspaceId) ?? new Map<TicketId, TicketPresence>();
    this.#workspaces.set(workspaceId, places);
    let place = places.get(ticketId);
    if (place === undefined) {
      place = { people: new Map(), toldAtMs: Number.NEGATIVE_INFINITY, told: '[]', timer: undefined };
      places.set(ticketId, place);
    }
    return place;
  }

  /** Updates the streams now or as soon as allowed, and runs again when somebody may have left. */
  #settle(workspaceId: WorkspaceId, ticketId: TicketId, place: TicketPresence): void {
    clearTimeout(place.timer);
    const nowMs = performance.now();
    for (const [userId, { untilMs }] of place.people) if (untilMs <= nowMs) place.people.delete(userId);
    const people = peopleIn(place);
    const mayTellAtMs = place.toldAtMs + toldEveryMs;
    const isNews = JSON.stringify(people) !== place.told;
    if (isNews && mayTellAtMs <= nowMs) {
      place.toldAtMs = nowMs;
      place.told = JSON.stringify(people);
      this.#live.signalHere({ workspaceId, userId: null, event: 'presence', data: { ticketId, people } });
    } else if (people.length === 0 && !isNews && mayTellAtMs <= nowMs) {
      this.#forget(workspaceId, ticketId);
      return;
    }
    const nextMs = Math.min(
      ...[...place.people.values()].map(({ untilMs }) => untilMs),
      // An empty place stays until the next update of its ticket is allowed.
      ...(isNews || people.length === 0 ? [place.toldAtMs + toldEveryMs] : []),
    );
    const look = () => this.#settle(workspaceId, ticketId, place);
    place.timer = setTimeout(look, Math.max(nextMs - nowMs, 0) + 1).unref();
  }

  #forget(workspaceId: WorkspaceId, ticketId: TicketId): void {
    const places = this.#workspaces.get(workspaceId);
    places?.delete(ticketId);
    if (places?.size === 0) this.#workspaces.delete(workspaceId);
  }
}

function peopleIn({ people }: TicketPresence): PresentPerson[] {
  return [...people].map(([userId, { state }]) => ({ userId, state }));
}
