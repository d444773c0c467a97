import { type Random, randomOf } from '../emulators/random.ts';
import type { WorkspaceId } from '../src/ground/lib/ids.ts';
import { messageSearchVector } from '../src/helpdesk/messages/words.ts';
import { ticketSearchVector } from '../src/helpdesk/tickets/rows.ts';
import { bodyText, capital, words } from './words.ts';

const textCount = 100;

/** Draws a text for a writing operation. */
export function drawText(random: Random): { subject: string; body: string } {
  const text = randomOf(random.below(textCount));
  return { subject: capital(words(text, 6)), body: bodyText(text) };
}

const known = new Map<string, string>();

/** The limit's rows are as large as the service's, but their search vectors are made once per text, not per request. */
function once(key: string, make: () => string): string {
  let vector = known.get(key);
  if (vector === undefined) {
    vector = make();
    known.set(key, vector);
  }
  return vector;
}

export function ticketVectorOf(inWorkspace: WorkspaceId, subject: string): string {
  return once(`${inWorkspace} ${subject}`, () =>
    ticketSearchVector(inWorkspace, { subject, people: [], attachmentNames: [] }),
  );
}

export function messageVectorOf(inWorkspace: WorkspaceId, body: string): string {
  return once(`${inWorkspace} ${body}`, () => messageSearchVector(inWorkspace, body));
}
