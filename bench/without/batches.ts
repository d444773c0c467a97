import { travel as travelTogether } from '../../src/database/trip.ts';

export const travel: typeof travelTogether = (client, { asked, timeoutMs, onArrival }) => {
  let left = asked.length;
  let firstError: unknown;
  let isBroken = false;
  for (const each of asked) {
    travelTogether(client, {
      asked: [each],
      timeoutMs,
      onArrival: (arrival) => {
        firstError ??= arrival.error;
        isBroken ||= arrival.isBroken;
        left--;
        if (left === 0) onArrival({ error: firstError, left: [], isBroken });
      },
    });
  }
};
