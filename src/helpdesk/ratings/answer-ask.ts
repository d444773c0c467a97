import { record } from '../../events/activity/record.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';
import { findOpenAsk } from './ask.ts';
import { judgeAnswer } from './judge-answer.ts';
import { bestOf, commentMax, type Doubt } from './schema.ts';
import type { AskKey, Step } from './survey-links.ts';

type Given = {
  score: number;
  comment: string;
  /** The hash of the visitor. */
  visitor: string;
  step: Step;
  shownAtMs: number;
};

/** What became of an answer. `gone`: there is no such question any more. */
export type Outcome = 'counts' | 'ignored' | 'gone' | 'bad' | Doubt;

/** Keeps a customer's answer. Answers to one question wait for one another, so that there is one in the end. */
export async function answerAsk(tx: Tx, { workspaceId, askId }: AskKey, given: Given): Promise<Outcome> {
  const [, ask] = await together([
    tx.run(sql`
      select from survey_asks where workspace_id = ${workspaceId} and id = ${askId} for no key update`),
    findOpenAsk(tx, { workspaceId, askId, now: tx.now }),
  ]);
  if (ask === undefined) return 'gone';
  const { score, visitor, step, shownAtMs } = given;
  if (!Number.isInteger(score) || score < 1 || score > bestOf[ask.scale]) return 'bad';
  const atMs = tx.now.getTime();
  const { answeredAt, changedAt, doubt: doubtBefore, isScanned } = ask;
  const earlier =
    ask.score === null || answeredAt === null || changedAt === null
      ? null
      : {
          ...{ score: ask.score, visitor: ask.visitor, doubt: doubtBefore },
          ...{ answeredAtMs: Date.parse(answeredAt), changedAtMs: Date.parse(changedAt) },
        };
  const verdict = judgeAnswer({ score, visitor, atMs, shownAtMs, step, isScanned }, earlier);
  if (verdict === 'ignored') return verdict;
  const doubt = verdict === 'counts' ? null : verdict;
  const comment = commentOf(given.comment);
  const isNews = doubt === null && (earlier === null || earlier.doubt !== null || earlier.score !== score);
  await together([
    tx.run(sql`
      update survey_asks
      set score = ${score}, comment = ${comment}, visitor = ${visitor}, doubt = ${doubt}, changed_at = ${tx.now},
        answered_at = coalesce(answered_at, ${tx.now})
      where workspace_id = ${workspaceId} and id = ${askId}`),
    isNews &&
      record(
        tx,
        { workspaceId, userId: null, isCustomer: true },
        { type: 'survey.answered', ticketId: ask.ticketId, data: { answerId: askId, score, scale: ask.scale } },
      ),
  ]);
  return verdict;
}

/** Plain text without characters that the database does not keep. */
function commentOf(text: string): string | null {
  const plain = text.toWellFormed().replaceAll('\0', '').replace(/\r\n?/g, '\n').trim();
  return plain === '' ? null : firstCodePoints(plain, commentMax);
}

/** Notes that a program has followed the link that no person sees. */
export async function noteScan(tx: Tx, { workspaceId, askId }: AskKey): Promise<void> {
  await tx.run(sql`
    update survey_asks set scanned_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${askId} and scanned_at is null`);
}
