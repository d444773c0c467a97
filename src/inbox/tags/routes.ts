import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { deleteTag, renameTag } from './change-tag.ts';
import { colourTag } from './colours.ts';
import { listTags, readTagUse } from './queries.ts';
import {
  colourTagBody,
  deleteTagBody,
  renameTagBody,
  tagChangeSchema,
  tagSchema,
  tagUseQuery,
  tagUseSchema,
} from './schema.ts';

const path = '/v1/workspaces/:workspaceId/tags';
const tags = ['tags'];

/** A tag stands in the body, because it may have any characters, which proxies change in addresses. */
export function tagRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  changeRoutes(server, app);
  colourRoutes(server, app);
}

function readRoutes(server: Server, { db }: App): void {
  server.get(
    path,
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'listTags',
        summary: 'The tags of a workspace, the ones with the most open tickets first',
        description:
          'The tags of the newest 100,000 tickets, at most 1,000 of them, and all tags that have a colour. Leaves ' +
          'out tickets in the trash, in spam, and merged into another ticket.',
        tags,
        params: workspaceParams,
        response: { 200: Type.Array(tagSchema) },
      },
    },
    (request) => listTags(db, actorOf(request)),
  );

  server.get(
    `${path}/use`,
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'readTagUse',
        summary: 'Count what a rename or a deletion of a tag would change',
        tags,
        params: workspaceParams,
        querystring: tagUseQuery,
        response: { 200: tagUseSchema },
      },
    },
    (request) => readTagUse(db, actorOf(request), request.query.tag),
  );
}

function changeRoutes(server: Server, { db, live }: App): void {
  const tell = (workspaceId: WorkspaceId) => {
    for (const event of ['workspace', 'view', 'saved_reply'] as const)
      live.signal({ workspaceId, userId: null, event, data: {} });
  };
  const errors = ['tag.not_found', 'bulk_change.too_many', 'bulk_change.busy'] as const;

  server.post(
    `${path}/rename`,
    {
      config: { can: 'tag.manage', errors: [...errors, 'tag.exists'] },
      schema: {
        operationId: 'renameTag',
        summary: 'Rename a tag everywhere, or merge it into another',
        description:
          'Changes mailboxes, saved replies, views and the colour at once, and the tickets in the background, as a ' +
          'bulk change that can be undone for a day. The undo brings back the tags of the tickets alone.',
        tags,
        params: workspaceParams,
        body: renameTagBody,
        response: { 202: tagChangeSchema },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 202,
        body: await renameTag(tx, actor, request.body),
      }));
      tell(actorOf(request).workspaceId);
    },
  );

  server.post(
    `${path}/delete`,
    {
      config: { can: 'tag.manage', errors },
      schema: {
        operationId: 'deleteTag',
        summary: 'Take a tag away from everything that has it',
        description:
          'Changes mailboxes and saved replies at once, and the tickets in the background, as a bulk change that can ' +
          'be undone for a day. Views that filter by the tag stay, and find nothing.',
        tags,
        params: workspaceParams,
        body: deleteTagBody,
        response: { 202: tagChangeSchema },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 202,
        body: await deleteTag(tx, actor, request.body),
      }));
      tell(actorOf(request).workspaceId);
    },
  );
}

function colourRoutes(server: Server, { db, live }: App): void {
  server.put(
    `${path}/colour`,
    {
      config: { can: 'tag.manage', errors: ['tag.too_many_colours'] },
      schema: {
        operationId: 'colourTag',
        summary: 'Give a tag a colour, or take it away',
        tags,
        params: workspaceParams,
        body: colourTagBody,
        response: { 204: Type.Null({ description: 'The tag has the colour.' }) },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => {
        await colourTag(tx, actor, request.body);
        return { status: 204, body: null };
      });
      const { workspaceId } = actorOf(request);
      live.signal({ workspaceId, userId: null, event: 'workspace', data: {} });
    },
  );
}
