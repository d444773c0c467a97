import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { makeSamples } from './make-samples.ts';
import { removeSamples } from './remove-samples.ts';
import { sampleFile } from './sample-file.ts';
import { sampleTicketsSchema } from './schema.ts';

const workspace = inWorkspace('workspaces');

export function onboardingRoutes(server: Server, { db, blobs, live }: App): void {
  workspace.post(server, '/sample-tickets', {
    id: 'createSampleTickets',
    summary: 'Make twelve tickets to try the inbox with',
    description:
      'The tickets are tagged `sample`. The service sends no mail for them: ' +
      'their customers are fictional and answer a few seconds after you do.',
    can: 'workspace.manage',
    errors: ['sample.exists', 'workspace.storage_full'],
    answers: { 201: sampleTicketsSchema },
    handler: async (request, reply) => {
      // The blob must exist before rows refer to it.
      const sha256 = await blobs.put(request.actor.workspaceId, sampleFile.content);
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: { tickets: await makeSamples(tx, actor, sha256) },
      }));
    },
  });

  workspace.delete(server, '/sample-tickets', {
    id: 'deleteSampleTickets',
    summary: 'Delete the sample tickets with their messages and files',
    can: 'workspace.manage',
    answers: { 204: Type.Null({ description: 'The workspace has no sample tickets.' }) },
    handler: async ({ actor }) => {
      const { workspaceId } = actor;
      const isChanged = await db.tx((tx) => removeSamples(tx, workspaceId));
      // Their facts are deleted too, so streams cannot report it. The reset makes clients reload.
      if (isChanged) live.signal({ workspaceId, userId: null, event: 'reset', data: {} });
    },
  });
}
