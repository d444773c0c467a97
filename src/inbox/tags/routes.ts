import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
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

const workspace = inWorkspace('tags');

/** A tag stands in the body, because it may have any characters, which proxies change in addresses. */
export function tagRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  changeRoutes(server, app);
  colourRoutes(server, app);
}

function readRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/tags', {
    id: 'listTags',
    summary: 'The tags of a workspace, the ones with the most open tickets first',
    description:
      'The tags of the newest 100,000 tickets, at most 1,000 of them, and all tags that have a colour. Leaves ' +
      'out tickets in the trash, in spam, and merged into another ticket.',
    can: 'ticket.read',
    answers: { 200: Type.Array(tagSchema) },
    handler: ({ actor }) => listTags(db, actor),
  });

  workspace.get(server, '/tags/use', {
    id: 'readTagUse',
    summary: 'Count what a rename or a deletion of a tag would change',
    can: 'ticket.read',
    query: tagUseQuery,
    answers: { 200: tagUseSchema },
    handler: ({ actor, query }) => readTagUse(db, actor, query.tag),
  });
}

function changeRoutes(server: Server, { live }: App): void {
  const tell = (workspaceId: WorkspaceId) => {
    for (const event of ['workspace', 'view', 'saved_reply'] as const)
      live.signal({ workspaceId, userId: null, event, data: {} });
  };
  const errors = ['tag.not_found', 'bulk_change.too_many', 'bulk_change.busy'] as const;

  workspace.post(server, '/tags/rename', {
    id: 'renameTag',
    summary: 'Rename a tag everywhere, or merge it into another',
    description:
      'Changes mailboxes, saved replies, rules, views and the colour at once, and the tickets in the background, ' +
      'as a bulk change that can be undone for a day. The undo brings back the tags of the tickets alone.',
    can: 'tag.manage',
    errors: [...errors, 'tag.exists'],
    body: renameTagBody,
    answers: { 202: tagChangeSchema },
    inTx: (tx, { actor, body }) => renameTag(tx, actor, body),
    afterwards: ({ actor }) => tell(actor.workspaceId),
  });

  workspace.post(server, '/tags/delete', {
    id: 'deleteTag',
    summary: 'Take a tag away from everything that has it',
    description:
      'Changes mailboxes, saved replies and the actions of rules at once, and the tickets in the background, as a ' +
      'bulk change that can be undone for a day. Views and conditions that ask for the tag stay, and find nothing.',
    can: 'tag.manage',
    errors,
    body: deleteTagBody,
    answers: { 202: tagChangeSchema },
    inTx: (tx, { actor, body }) => deleteTag(tx, actor, body),
    afterwards: ({ actor }) => tell(actor.workspaceId),
  });
}

function colourRoutes(server: Server, { live }: App): void {
  workspace.put(server, '/tags/colour', {
    id: 'colourTag',
    summary: 'Give a tag a colour, or take it away',
    can: 'tag.manage',
    errors: ['tag.too_many_colours'],
    body: colourTagBody,
    answers: { 204: Type.Null({ description: 'The tag has the colour.' }) },
    inTx: (tx, { actor, body }) => colourTag(tx, actor, body),
    afterwards: ({ actor: { workspaceId } }) =>
      live.signal({ workspaceId, userId: null, event: 'workspace', data: {} }),
  });
}
