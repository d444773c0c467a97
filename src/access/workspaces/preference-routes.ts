import type { App } from '../../app.ts';
import { principalOf, type Server } from '../../ground/http/http.ts';
import { changeOwnPreferences, readOwnPreferences } from './own-preferences.ts';
import { changeOwnPreferencesBody, ownPreferencesSchema } from './preference-schema.ts';
import { listWorkspaces } from './queries.ts';

const path = '/v1/me/preferences';
const tags = ['accounts'];

export function preferenceRoutes(server: Server, { db, live }: App): void {
  server.get(
    path,
    {
      config: { signedIn: true },
      schema: {
        operationId: 'readPreferences',
        summary: 'Read how the inbox looks and behaves for you',
        tags,
        response: { 200: ownPreferencesSchema },
      },
    },
    (request) => readOwnPreferences(db, principalOf(request).userId),
  );

  server.patch(
    path,
    {
      config: { signedIn: true, errors: ['workspace.forbidden'] },
      schema: {
        operationId: 'changePreferences',
        summary: 'Change how the inbox looks and behaves for you',
        description: 'Fields that you omit stay unchanged.',
        tags,
        body: changeOwnPreferencesBody,
        response: { 200: ownPreferencesSchema },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      const changed = await db.tx((tx) => changeOwnPreferences(tx, userId, request.body));
      for (const { id: workspaceId } of await listWorkspaces(db, userId))
        live.signal({ workspaceId, userId, event: 'preferences', data: {} });
      return changed;
    },
  );
}
