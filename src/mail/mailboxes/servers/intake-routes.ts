import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { nullable, timestamp } from '../../../ground/http/schema.ts';
import type { inTurns } from '../../../ground/lib/in-turns.ts';
import { mailboxParams } from '../schema.ts';
import { readIntake } from './intake.ts';

const workspace = inWorkspace('mailboxes');

const count = (description: string) => Type.Integer({ minimum: 0, description });
const intakeSchema = Type.Object({
  folders: Type.Array(
    Type.Object({
      path: Type.String(),
      onServer: count('Mails in the folder now.'),
      taken: count('Of these, how many were taken.'),
      stuck: count('The server lists them and does not deliver them. Kontor tries them again.'),
      waiting: count('They came since the last look.'),
      skipped: count('Drafts, and mails that are marked for deletion: they are not taken.'),
      older: count('From before the connection, and before the history that was asked for.'),
      oldestUntakenAt: nullable({ ...timestamp, description: 'When the oldest mail arrived that is stuck or waits.' }),
    }),
    { description: 'The folders that are read. Empty for a provider that is not `imap`.' },
  ),
});

/** @param inTurn limits concurrent calls, because each waits for a server */
export function intakeRoutes(server: Server, app: App, inTurn: ReturnType<typeof inTurns>): void {
  workspace.get(server, '/mailboxes/:mailboxId/intake', {
    id: 'readMailboxIntake',
    summary: 'Compare the mail on the server with what was taken from it',
    description: 'Asks the server, so it may take some seconds.',
    can: 'mailbox.manage',
    errors: ['mailbox.not_found', 'mailbox.not_authorized', 'mailbox.sign_in_paused', 'unavailable'],
    params: mailboxParams,
    answers: { 200: intakeSchema },
    handler: ({ actor, params }) => {
      const { workspaceId } = actor;
      const read = async () => ({
        folders: await readIntake(app, { workspaceId, mailboxId: params.mailboxId }),
      });
      return inTurn(read, workspaceId);
    },
  });
}
