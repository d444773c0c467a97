import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forSignedIn } from '../../ground/http/operation.ts';
import { changeOwnPreferences, readOwnPreferences } from './own-preferences.ts';
import { changeOwnPreferencesBody, ownPreferencesSchema } from './preference-schema.ts';
import { listWorkspaces } from './queries.ts';

const signedIn = forSignedIn('accounts');

export function preferenceRoutes(server: Server, { db, live }: App): void {
  signedIn.get(server, '/v1/me/preferences', {
    id: 'readPreferences',
    summary: 'Read how the inbox looks and behaves for you',
    answers: { 200: ownPreferencesSchema },
    handler: ({ principal }) => readOwnPreferences(db, principal.userId),
  });

  signedIn.patch(server, '/v1/me/preferences', {
    id: 'changePreferences',
    summary: 'Change how the inbox looks and behaves for you',
    description: 'Fields that you omit stay unchanged.',
    errors: ['workspace.forbidden'],
    body: changeOwnPreferencesBody,
    answers: { 200: ownPreferencesSchema },
    handler: async ({ principal, body }) => {
      const { userId } = principal;
      const changed = await db.tx((tx) => changeOwnPreferences(tx, userId, body));
      for (const { id: workspaceId } of await listWorkspaces(db, userId))
        live.signal({ workspaceId, userId, event: 'preferences', data: {} });
      return changed;
    },
  });
}
