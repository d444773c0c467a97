import type { Doubt } from './schema.ts';
import type { Step } from './survey-links.ts';

/** What the table has of an answer before. */
export type Earlier = {
  score: number;
  visitor: string | null;
  answeredAtMs: number;
  changedAtMs: number;
  doubt: Doubt | null;
};

/** An answer that arrives. */
export type Attempt = {
  score: number;
  /** The hash of the visitor. */
  visitor: string;
  atMs: number;
  /** When the page with the form was shown, and what it asked. */
  shownAtMs: number;
  step: Step;
  /** Whether a program has followed the link that no person sees. */
  isScanned: boolean;
};

/** How long a person at least needs to look at a page and press its button, and for the page that only asks again. */
const lookMsMin: Record<Step, number> = { answer: 2_000, confirm: 1_000 };
/** Within this time, two visitors with different scores are more likely one program. */
const contradictionMsMax = 60_000;
/** No person changes their mind so soon. */
const changeMsMin = 2_000;
/** How long whoever answered may change it. */
export const changeDays = 7;
const changeMsMax = changeDays * 86_400_000;

/**
 * What becomes of an answer: it counts; it is kept and does not count, until a person confirms it; or it changes
 * nothing. Programs that look at the links of a mail for safety follow all of them, and some send the forms that they
 * find. They do so at once, and with each link as another visitor.
 */
export function judgeAnswer(attempt: Attempt, earlier: Earlier | null): 'counts' | 'ignored' | Doubt {
  const { score, visitor, atMs, shownAtMs, step, isScanned } = attempt;
  if (earlier !== null && earlier.score !== score) {
    const sinceMs = atMs - earlier.changedAtMs;
    if (sinceMs < (earlier.visitor === visitor ? changeMsMin : contradictionMsMax)) return 'contradiction';
  }
  if (earlier !== null && earlier.doubt === null) {
    const isOwn = earlier.visitor === visitor && atMs - earlier.answeredAtMs < changeMsMax;
    return isOwn ? 'counts' : 'ignored';
  }
  if (atMs - shownAtMs < lookMsMin[step]) return 'fast';
  if (step === 'confirm') return 'counts';
  if (earlier?.doubt === 'contradiction') return 'contradiction';
  return isScanned ? 'scanner' : 'counts';
}
