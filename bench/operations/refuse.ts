import type { Operation } from '../operation.ts';
import { drawMember, drawWorkspace, workspaceId } from '../world.ts';

const answer = { key: 'auth.token_invalid', params: {}, fallbackMessage: 'The token is not valid.' };

/** A well-formed token that another key signed. */
export const refuse: Operation = {
  name: 'refuse-401',
  method: 'GET',
  url: '/v1/workspaces/:workspaceId/tickets',
  isWrite: false,
  isRefused: true,
  goal: { ratioMin: 0.6 },
  want: (_world, random) => {
    const workspace = drawWorkspace(random);
    return { params: { workspaceId: workspaceId(workspace) }, caller: drawMember(random, workspace) };
  },
  limit: async () => answer,
};
