import type { App } from '../app.ts';
import { principalOf, type Server } from '../http/http.ts';
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
        summary: 'How you want to be told, in all your workspaces',
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
        summary: 'Change how you want to be told',
        description: 'What is left out stays as it is.',
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
