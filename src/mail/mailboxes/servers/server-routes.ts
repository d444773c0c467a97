import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { answerBesideTx } from '../../../ground/http/idempotency.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { nullable, oneOf } from '../../../ground/http/schema.ts';
import type { inTurns } from '../../../ground/lib/in-turns.ts';
import { afterIntakes, folderUses } from '../../provider.ts';
import { askToListen } from '../listening/ask-to-listen.ts';
import { chooseFoldersBody, mailboxParams } from '../schema.ts';
import { refuseChoice } from '../verify-grant.ts';
import { readFolders, testServers } from './ask-servers.ts';
import { chooseFolders } from './choose-folders.ts';

const workspace = inWorkspace('mailboxes');
const config = {
  can: 'mailbox.manage',
  errors: ['mailbox.not_found', 'mailbox.not_authorized', 'mailbox.sign_in_paused', 'unavailable'],
} as const;

const foldersSchema = Type.Object({
  folders: Type.Array(
    Type.Object({
      path: Type.String(),
      use: nullable({ ...oneOf(folderUses), description: 'What the server keeps in it, as far as it tells.' }),
      isRead: Type.Boolean(),
    }),
    { description: 'As the server orders them. Empty for a provider that is not `imap`.' },
  ),
  sentPath: nullable(Type.String({ description: 'The folder of sent mail, which is read for answers.' })),
  afterIntake: { ...oneOf(afterIntakes), description: 'What becomes of a new mail on the server once it is taken.' },
  movePath: nullable(Type.String({ description: 'Where it is moved to.' })),
  canMove: Type.Boolean({ description: 'Whether the server can move mail.' }),
});

const trialsSchema = Type.Object({
  ends: Type.Array(
    Type.Object({
      end: oneOf(['imap', 'smtp']),
      ok: Type.Boolean(),
      code: nullable(Type.String({ description: 'The cause, as when a mailbox is connected: `imap_login`, `tls`, …' })),
      reason: nullable(Type.String({ description: 'What is wrong, and what helps.' })),
      milliseconds: Type.Integer({ minimum: 0 }),
      capabilities: Type.Array(Type.String()),
      bytesMax: nullable(Type.Integer({ description: 'The largest mail that it takes, if it tells.' })),
    }),
    {
      description:
        'Empty for a provider that is not `imap`. Without `smtp` where `imap` refused the password: another attempt ' +
        'might lock the account.',
    },
  ),
});

/** @param inTurn limits concurrent calls, because each waits for a server */
export function serverRoutes(server: Server, app: App, inTurn: ReturnType<typeof inTurns>): void {
  workspace.post(server, '/mailboxes/:mailboxId/test', {
    id: 'testMailboxServers',
    summary: 'Try both servers of a mailbox',
    description: 'Signs in at both, and asks whether the address may send. Sends no mail.',
    ...config,
    params: mailboxParams,
    answers: { 200: trialsSchema },
    handler: (request, reply) => {
      const { workspaceId } = request.actor;
      const test = async () => {
        const trials = await testServers(app, { workspaceId, mailboxId: request.params.mailboxId });
        const ends = trials.map(({ fault, ...trial }) => ({
          ...trial,
          ok: fault === null,
          code: fault?.code ?? null,
          reason: fault?.message ?? null,
        }));
        return { status: 200 as const, body: { ends } };
      };
      return inTurn(() => answerBesideTx(app.db, request, reply, test), workspaceId);
    },
  });
  folderRoutes(server, app, inTurn);
}

function folderRoutes(server: Server, app: App, inTurn: ReturnType<typeof inTurns>): void {
  workspace.get(server, '/mailboxes/:mailboxId/folders', {
    id: 'listMailboxFolders',
    summary: 'List the folders on the server of a mailbox',
    description: 'Asks the server, so it may take some seconds.',
    ...config,
    params: mailboxParams,
    answers: { 200: foldersSchema },
    handler: ({ actor, params }) => {
      const { workspaceId } = actor;
      const read = () => readFolders(app, { workspaceId, mailboxId: params.mailboxId });
      return inTurn(read, workspaceId);
    },
  });

  workspace.put(server, '/mailboxes/:mailboxId/folders', {
    id: 'chooseMailboxFolders',
    summary: 'Choose the folders of a mailbox that are read, and what becomes of taken mail',
    description:
      'New mail of a new folder is read from now on, and its mail of the last 14 days within a day, as history.',
    ...config,
    params: mailboxParams,
    body: chooseFoldersBody,
    answers: { 200: foldersSchema },
    handler: (request, reply) => {
      const { workspaceId } = request.actor;
      const key = { workspaceId, mailboxId: request.params.mailboxId };
      const choose = () =>
        answerBesideTx(app.db, request, reply, async (actor) => {
          const body = await readFolders(app, key, async (listed, present) => {
            const { sentPath, afterIntake, movePath } = present;
            const wanted = { sentPath, afterIntake, movePath, ...request.body };
            refuseChoice(listed, wanted);
            await app.db.tx((tx) => chooseFolders(tx, actor, { ...wanted, mailboxId: key.mailboxId }));
            askToListen(app.live, workspaceId);
            return wanted;
          });
          return { status: 200, body };
        });
      return inTurn(choose, workspaceId);
    },
  });
}
