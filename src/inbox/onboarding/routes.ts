import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { makeSamples } from './make-samples.ts';
import { removeSamples } from './remove-samples.ts';
import { sampleFile } from './sample-file.ts';
import { sampleTicketsSchema } from './schema.ts';

const samples = '/v1/workspaces/:workspaceId/sample-tickets';
const tags = ['workspaces'];

export function onboardingRoutes(server: Server, { db, blobs, live }: App): void {
  server.post(
    samples,
    {
      config: { can: 'workspace.manage', errors: ['sample.exists', 'workspace.storage_full'] },
      schema: {
        operationId: 'createSampleTickets',
        summary: 'Make twelve tickets to try the inbox with',
        description:
          'The tickets are tagged `sample`. The service sends no mail for them: ' +
          'their customers are fictional and answer a few seconds after you do.',
        tags,
        params: workspaceParams,
        response: { 201: sampleTicketsSchema },
      },
    },
    async (request, reply) => {
      // The blob must exist before rows refer to it.
      const sha256 = await blobs.put(actorOf(request).workspaceId, sampleFile.content);
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: { tickets: await makeSamples(tx, actor, sha256) },
      }));
    },
  );

  server.delete(
    samples,
    {
      config: { can: 'workspace.manage' },
      schema: {
        operationId: 'deleteSampleTickets',
        summary: 'Delete the sample tickets with their messages and files',
        tags,
        params: workspaceParams,
        response: { 204: Type.Null({ description: 'The workspace has no sample tickets.' }) },
      },
    },
    async (request, reply) => {
      const { workspaceId } = actorOf(request);
      const isChanged = await db.tx((tx) => removeSamples(tx, workspaceId));
      // Their facts are deleted too, so streams cannot report it. The reset makes clients reload.
      if (isChanged) live.signal({ workspaceId, userId: null, event: 'reset', data: {} });
      return reply.code(204).send(null);
    },
  );
}
