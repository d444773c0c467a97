import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forSignedIn } from '../../ground/http/operation.ts';
import { changePreferencesBody, preferencesSchema } from './preference-schema.ts';
import { changePreferences, readPreferences } from './preferences.ts';

const signedIn = forSignedIn('notifications');

export function preferenceRoutes(server: Server, { db }: App): void {
  signedIn.get(server, '/v1/me/notification-preferences', {
    id: 'readNotificationPreferences',
    summary: 'Read your notification preferences for all workspaces',
    answers: { 200: preferencesSchema },
    handler: ({ principal }) => readPreferences(db, principal.userId),
  });

  signedIn.patch(server, '/v1/me/notification-preferences', {
    id: 'changeNotificationPreferences',
    summary: 'Change your notification preferences',
    description: 'Fields that you omit stay unchanged.',
    body: changePreferencesBody,
    answers: { 200: preferencesSchema },
    handler: ({ principal, body }) => {
      const { userId } = principal;
      return db.tx((tx) => changePreferences(tx, userId, body));
    },
  });
}
