import { words } from '../words/words.ts';
import type { Undelivered } from './queries.ts';

/** Why a message did not arrive, and what helps, without the terms of mail servers. */
export function reasonWords({ status, bounceKind }: Pick<Undelivered, 'status' | 'bounceKind'>): string {
  if (status !== 'bounced') return words(`undelivered.why.${status}`);
  return words(`undelivered.why.${bounceKind ?? 'unknown'}`);
}
