import type pg from 'pg';
import { travel as travelTogether } from '../../src/database/trip.ts';

type Arrival = Parameters<Parameters<typeof travelTogether>[1]['onArrival']>[0];

const ends = new WeakMap<pg.ClientBase, Promise<void>>();

/** Right for requests that succeed: a rollback would overtake statements that nobody awaits. */
export const travel: typeof travelTogether = (client, { asked, timeoutMs, onArrival }) => {
  const goOneByOne = async (): Promise<void> => {
    for (const [index, each] of asked.entries()) {
      const arrival = await new Promise<Arrival>((resolve) => {
        travelTogether(client, { asked: [each], timeoutMs, onArrival: resolve });
      });
      if (arrival.error === undefined) continue;
      onArrival({ ...arrival, left: asked.slice(index + 1) });
      return;
    }
    onArrival({ error: undefined, left: [], isBroken: false });
  };
  ends.set(client, (ends.get(client) ?? Promise.resolve()).then(goOneByOne));
};
