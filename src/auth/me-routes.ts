import { getUser } from '../accounts/queries.ts';
import type { App } from '../app.ts';
import { together } from '../platform/db.ts';
import { principalOf, type Server } from '../platform/http.ts';
import { listWorkspaces } from '../workspaces/queries.ts';
import { meSchema } from './schema.ts';

const tags = ['accounts'];

export function meRoutes(server: Server, { db }: App): void {
  server.get(
    '/v1/me',
    {
      config: { signedIn: true },
      schema: {
        operationId: 'readMe',
        summary: 'Who you are, and your workspaces',
        tags,
        response: { 200: meSchema },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      const [user, workspaces] = await together([getUser(db, userId), listWorkspaces(db, userId)]);
      return { user, workspaces };
    },
  );
}
