import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { listUnread } from './list-unread.ts';
import { markAllRead, markRead } from './mark-read.ts';
import { preferenceRoutes } from './preference-routes.ts';
import { pushRoutes } from './push/routes.ts';
import { countUnread, listNotifications } from './queries.ts';
import {
  countAnswer,
  listNotificationsQuery,
  notificationParams,
  notificationSchema,
  notificationsPage,
} from './schema.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';

const workspace = inWorkspace('notifications');

export function notificationRoutes(server: Server, app: App): void {
  listRoutes(server, app);
  readingRoutes(server, app);
  preferenceRoutes(server, app);
  pushRoutes(server, app);
  unsubscribeRoutes(server, app);
}

function listRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/notifications', {
    id: 'listNotifications',
    summary: 'List your notifications, newest first',
    can: 'notification.own',
    query: listNotificationsQuery,
    answers: { 200: notificationsPage },
    handler: ({ actor, query }) => {
      const { limit = 20, cursor, unread = false } = query;
      const list = unread ? listUnread : listNotifications;
      return list(db, actor, { limit, cursor });
    },
  });

  workspace.get(server, '/notifications/unread-count', {
    id: 'countUnreadNotifications',
    summary: 'Count your unread notifications',
    can: 'notification.own',
    answers: { 200: countAnswer },
    handler: async ({ actor }) => ({ count: await countUnread(db, actor) }),
  });
}

function readingRoutes(server: Server, { live }: App): void {
  workspace.post(server, '/notifications/read-all', {
    id: 'markAllNotificationsRead',
    summary: 'Mark all your current notifications read',
    can: 'notification.own',
    answers: { 200: countAnswer },
    inTx: async (tx, { actor }) => ({ count: await markAllRead(tx, actor) }),
    afterwards: ({ actor }) => tellOfReading(live, actor, null),
  });

  workspace.patch(server, '/notifications/:notificationId/read', {
    id: 'markNotificationRead',
    summary: 'Mark one of your notifications read',
    can: 'notification.own',
    errors: ['notification.not_found'],
    params: notificationParams,
    answers: { 200: notificationSchema },
    inTx: async (tx, { actor, params }) => {
      const { notificationId } = params;
      return markRead(tx, actor, notificationId);
    },
    afterwards: ({ actor, params }) => {
      const { notificationId } = params;
      tellOfReading(live, actor, notificationId);
    },
  });
}

/** Sends an event to the member's own streams. @param notificationId null: all notifications */
function tellOfReading(live: Live, { workspaceId, userId }: Actor, notificationId: string | null): void {
  live.signal({ workspaceId, userId, event: 'notification.read', data: { notificationId } });
}
