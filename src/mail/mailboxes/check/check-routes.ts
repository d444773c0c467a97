import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { answerBesideTx } from '../../../ground/http/idempotency.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { nullable, oneOf, timestamp } from '../../../ground/http/schema.ts';
import type { inTurns } from '../../../ground/lib/in-turns.ts';
import { mailboxParams } from '../schema.ts';
import { type CheckedStep, checkMailbox } from './check-mailbox.ts';
import { steps } from './hints.ts';
import { sentenceKeys } from './sentences.ts';

const workspace = inWorkspace('mailboxes');

const sentenceKey = { ...oneOf(sentenceKeys), description: 'Which sentence it is. The list is closed.' };

const checkSchema = Type.Object({
  checkedAt: timestamp,
  steps: Type.Array(
    Type.Object({
      name: oneOf(steps),
      ok: nullable(Type.Boolean({ description: 'Null if the step was not tried.' })),
      detail: Type.String(),
      detailKey: nullable(sentenceKey),
      detailParams: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'What fills the sentence.',
      }),
      hint: nullable(Type.String({ description: 'What helps.' })),
      hintKey: nullable(sentenceKey),
    }),
    { description: 'In the order in which they were tried.' },
  ),
});

/** @param inTurn limits concurrent calls, because each waits for a provider */
export function checkRoutes(server: Server, app: App, inTurn: ReturnType<typeof inTurns>): void {
  workspace.post(server, '/mailboxes/:mailboxId/check', {
    id: 'checkMailbox',
    summary: 'Check step by step that a mailbox works',
    description:
      'Renews the access, reads, makes missing watches and asks for this service at its public address. ' +
      'Sends no mail. Takes at most half a minute.',
    can: 'mailbox.manage',
    errors: ['mailbox.not_found'],
    params: mailboxParams,
    answers: { 200: checkSchema },
    handler: (request, reply) => {
      const { workspaceId } = request.actor;
      const answer = () =>
        answerBesideTx(app.db, request, reply, async () => ({
          status: 200,
          body: {
            checkedAt: app.clock.now().toISOString(),
            steps: (await checkMailbox(app, { workspaceId, mailboxId: request.params.mailboxId })).map(viewOf),
          },
        }));
      return inTurn(answer, workspaceId);
    },
  });
}

function viewOf({ name, ok, detail, hint }: CheckedStep) {
  const { text, key, params } = detail;
  return {
    name,
    ok,
    detail: text,
    detailKey: key,
    detailParams: params,
    hint: hint?.text ?? null,
    hintKey: hint?.key ?? null,
  };
}
