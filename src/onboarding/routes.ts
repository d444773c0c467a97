import { Type } from 'typebox';
import type { App } from '../app.ts';
import { actorOf, type Server } from '../http/http.ts';
import { answerInTx } from '../http/idempotency.ts';
import { workspaceParams } from '../http/schema.ts';
import { sampleFile } from './conversations.ts';
import { makeSamples } from './make-samples.ts';
import { removeSamples } from './remove-samples.ts';
import { sampleTicketsSchema } from './schema.ts';

const samples = '/v1/workspaces/:workspaceId/sample-tickets';
const tags = ['workspaces'];

export function onboardingRoutes(server: Server, { db, blobs, live, config }: App): void {
  server.post(
    samples,
    {
      config: { can: 'workspace.manage', errors: ['sample.exists', 'workspace.storage_full'] },
      schema: {
        operationId: 'createSampleTickets',
        summary: 'Make twelve tickets to try the inbox with',
        description:
          'Tagged `sample`. No mail of theirs leaves the service: their customers are made up, and answer some seconds after you do.',
        tags,
        params: workspaceParams,
        response: { 201: sampleTicketsSchema },
      },
    },
    async (request, reply) => {
      // Bytes before the rows that name them.
      const sha256 = await blobs.put(actorOf(request).workspaceId, sampleFile.content);
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: { tickets: await makeSamples(tx, actor, { sha256, storageBytesMax: config.storageBytesMax }) },
      }));
    },
  );

  server.delete(
    samples,
    {
      config: { can: 'workspace.manage' },
      schema: {
        operationId: 'deleteSampleTickets',
        summary: 'Delete the sample tickets and all that hangs on them',
        tags,
        params: workspaceParams,
        response: { 204: Type.Null({ description: 'They are gone, or there were none.' }) },
      },
    },
    async (request, reply) => {
      const { workspaceId } = actorOf(request);
      const isChanged = await db.tx((tx) => removeSamples(tx, workspaceId));
      // No fact of theirs is left that could tell: whoever shows them reads anew.
      if (isChanged) live.signal({ workspaceId, userId: null, event: 'reset', data: {} });
      return reply.code(204).send(null);
    },
  );
}
