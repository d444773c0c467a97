import { setTimeout as sleep } from 'node:timers/promises';
import type { HostedMail, SendSteps, SentCopy } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { makeDraft, makeDraftInParts, removeDraft, wholeOf } from './graph-drafts.ts';
import type { GraphRequests } from './graph-requests.ts';
import { addBcc, findDraft, markDraft, readCopy } from './graph-sent.ts';

/** The copy appears some time after Graph accepts the mail. Graph promises no time. */
const copyWaitsMs = [50, 150, 400];

/**
 * Sends through a draft, because sending MIME directly returns no id to find the mail again. A draft keeps its id when
 * it is sent, and cannot be sent twice.
 */
export async function send(requests: GraphRequests, mail: HostedMail, steps: SendSteps): Promise<SentCopy | null> {
  const { draftId: keptId } = steps;
  const kept = keptId === null ? undefined : await readCopy(requests, keptId);
  if (kept?.isDraft === false) return kept.copy;
  // Graph does not show a sent copy at once. A missing draft may have been sent, so never create another draft.
  if (keptId !== null && kept === undefined) throw draftGone('draft_gone');
  const draftId = keptId ?? (await newDraft(requests, mail, steps));
  await steps.beforeSend();
  await sendDraft(requests, draftId);
  return awaitCopy(requests, draftId);
}

async function newDraft(requests: GraphRequests, mail: HostedMail, steps: SendSteps): Promise<string> {
  const left = await findDraft(requests, mail.rfcMessageId);
  const whole = await wholeOf(mail);
  let draftId = left;
  if (whole === undefined) {
    // The leftover draft may lack files.
    if (left !== undefined) await removeDraft(requests, left);
    draftId = await makeDraftInParts(requests, mail);
  } else draftId ??= await makeDraft(requests, whole);
  await addBcc(requests, draftId, mail.bcc);
  await markDraft(requests, draftId, mail.rfcMessageId);
  await steps.onDraft(draftId);
  return draftId;
}

async function sendDraft(requests: GraphRequests, draftId: string): Promise<void> {
  try {
    await requests.ask(`/me/messages/${encodeURIComponent(draftId)}/send`, { method: 'POST', sends: true });
  } catch (error) {
    if (!(error instanceof ProviderFault && error.kind === 'not-found')) throw error;
    throw draftGone(error.code, error);
  }
}

/** The draft was either deleted or sent. */
function draftGone(code: string, cause?: unknown): ProviderFault {
  const sentence = 'The draft of the mail is no longer in the mailbox.';
  return new ProviderFault('not-found', code, sentence, { mayHaveHappened: true, cause });
}

/** Ignores errors here, because the mail has left. */
async function awaitCopy(requests: GraphRequests, draftId: string): Promise<SentCopy | null> {
  try {
    for (const waitMs of [0, ...copyWaitsMs]) {
      await sleep(waitMs, undefined, { signal: requests.signal });
      const copy = await readCopy(requests, draftId);
      if (copy?.isDraft === false) return copy.copy;
    }
  } catch {}
  return null;
}
