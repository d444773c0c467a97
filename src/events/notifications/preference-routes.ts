import type { App } from '../../app.ts';
import { principalOf, type Server } from '../../ground/http/http.ts';
import { changePreferencesBody, preferencesSchema } from './preference-schema.ts';
import { changePreferences, readPreferences } from './preferences.ts';

const preferences = '/v1/me/notification-preferences';
const tags = ['notifications'];
const signedIn = { signedIn: true } as const;

export function preferenceRoutes(server: Server, { db }: App): void {
  server.get(
    preferences,
    {
      config: signedIn,
      schema: {
        operationId: 'readNotificationPreferences',
        summary: 'Read your notification preferences for all workspaces',
        tags,
        response: { 200: preferencesSchema },
      },
    },
    (request) => readPreferences(db, principalOf(request).userId),
  );

  server.patch(
    preferences,
    {
      config: signedIn,
      schema: {
        operationId: 'changeNotificationPreferences',
        summary: 'Change your notification preferences',
        description: 'Fields that you omit stay unchanged.',
        tags,
        body: changePreferencesBody,
        response: { 200: preferencesSchema },
      },
    },
    (request) => {
      const { userId } = principalOf(request);
      return db.tx((tx) => changePreferences(tx, userId, request.body));
    },
  );
}
