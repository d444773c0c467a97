import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ReadFact, readOn } from '../../events/activity/fact-reader.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { answerAutomatically } from '../auto-replies/answer-automatically.ts';
import { planSurvey } from '../surveys/plan-survey.ts';
import { type Batch, type Known, mayHold, openBatch, type RunningRule, verdictOf } from './batch.ts';
import { readMessages, type ToldMessage } from './read-messages.ts';
import { runRule } from './run-rule.ts';
import { readTicketAnswers, type TicketAnswers } from './ticket-conditions.ts';
import { isTimed, setTimers } from './timers.ts';
import { looksAt, triggers } from './triggers.ts';

/** Facts of one commit. Its locks are held until then, so it also ends after a time. */
const factsMax = 200;
const workMsMax = 250;
/** Rules whose conditions one statement asks: a statement has a limit of parameters. */
const askedMax = 10;
/** How long rules judge a message before requests have a turn. */
const turnMsMax = 20;
/** Commits before other workspaces have a turn. */
const commitsMax = 10;

/** Answers mails and runs the rules of a workspace on what has happened since they last ran. */
export async function runOnNews(db: Db, workspaceId: WorkspaceId): Promise<void> {
  for (let commits = 0; commits < commitsMax; commits++) {
    const isMore = await db.tx((tx) => runOnFacts(tx, workspaceId));
    if (!isMore) return;
  }
}

/** @returns whether there may be more facts */
export async function runOnFacts(tx: Tx, workspaceId: WorkspaceId): Promise<boolean> {
  let isMore = false;
  await readOn(tx, { table: 'rule_readers', workspaceId, id: workspaceId, factsMax }, async (facts) => {
    const until = performance.now() + workMsMax;
    const batch = await openBatch(tx, workspaceId);
    const told = batch.rules.some(asksOfMessages) ? await readMessages(tx, workspaceId, facts) : new Map();
    const done: ReadFact[] = [];
    for (const fact of facts) {
      await answerAutomatically(tx, workspaceId, fact);
      await planSurvey(tx, workspaceId, fact);
      await runOnFact(tx, batch, fact, told.get(fact.id));
      done.push(fact);
      if (performance.now() > until) break;
    }
    const ticketIds = [...new Set(done.flatMap(({ ticket }) => (ticket === null ? [] : [ticket.id])))];
    await setTimers(tx, batch, batch.rules.filter(isTimed), { ticketIds });
    isMore = done.length < facts.length || facts.length === factsMax;
    return done.at(-1);
  });
  return isMore;
}

const asksOfMessages = ({ trigger: { event } }: RunningRule) => event === 'message.added' || event === 'ticket.created';

/** Each rule in its order sees the ticket as the one before left it, and the message as it came. */
async function runOnFact(tx: Tx, batch: Batch, fact: ReadFact, told: ToldMessage | undefined): Promise<void> {
  const { ticket, cause } = fact;
  if (ticket === null) return;
  const known: Known = { told, at: new Date(fact.createdAt), calendars: batch.calendars };
  const waiting = await mayRun(batch, fact, known);
  let answers: TicketAnswers | undefined;
  for (const [index, rule] of waiting.entries()) {
    if (answers === undefined || index % askedMax === 0) {
      const asked = waiting.slice(index, index + askedMax - (index % askedMax));
      answers = await readAnswers(tx, batch, asked, { ticketId: ticket.id, at: known.at });
    }
    if (answers === undefined) return;
    if (!verdictOf(rule, known, answers).isMet) continue;
    const about = { ticketId: ticket.id, factId: fact.id, messageId: told?.message.id ?? null };
    const on = { workspaceId: batch.workspaceId, ...about, cause };
    const { outcome, isPaused } = await runRule(tx, rule, on);
    if (isPaused) batch.rules = batch.rules.filter(({ id }) => id !== rule.id);
    if (outcome !== 'done') continue;
    if (rule.stopAfter) return;
    answers = undefined;
  }
}

/** The rules that a fact triggers, and whose other conditions hold. */
async function mayRun(batch: Batch, fact: ReadFact, known: Known): Promise<RunningRule[]> {
  const found: RunningRule[] = [];
  let turn = performance.now();
  for (const rule of batch.rules) {
    const isTriggered =
      triggers(rule.trigger, { fact, told: known.told }) &&
      looksAt(rule, fact.cause) &&
      rule.activeSince <= fact.createdAt;
    if (isTriggered && mayHold(rule, known)) found.push(rule);
    if (performance.now() - turn < turnMsMax) continue;
    await nextTurn();
    turn = performance.now();
  }
  return found;
}

async function readAnswers(
  tx: Tx,
  { workspaceId }: Batch,
  rules: readonly RunningRule[],
  { ticketId, at }: { ticketId: TicketId; at: Date },
): Promise<TicketAnswers | undefined> {
  const [answers] = await readTicketAnswers(tx, workspaceId, rules, { ticketIds: [ticketId], at });
  return answers;
}
