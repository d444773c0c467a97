import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { listUnread } from './list-unread.ts';
import { markAllRead, markRead } from './mark-read.ts';
import { preferenceRoutes } from './preference-routes.ts';
import { countUnread, listNotifications } from './queries.ts';
import {
  countAnswer,
  listNotificationsQuery,
  notificationParams,
  notificationSchema,
  notificationsPage,
} from './schema.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';

const notifications = '/v1/workspaces/:workspaceId/notifications';
const tags = ['notifications'];
const own = { can: 'notification.own' } as const;

export function notificationRoutes(server: Server, app: App): void {
  listRoutes(server, app);
  readingRoutes(server, app);
  preferenceRoutes(server, app);
  unsubscribeRoutes(server, app);
}

function listRoutes(server: Server, { db }: App): void {
  server.get(
    notifications,
    {
      config: own,
      schema: {
        operationId: 'listNotifications',
        summary: 'List your notifications, newest first',
        tags,
        params: workspaceParams,
        querystring: listNotificationsQuery,
        response: { 200: notificationsPage },
      },
    },
    (request) => {
      const { limit = 20, cursor, unread = false } = request.query;
      const list = unread ? listUnread : listNotifications;
      return list(db, actorOf(request), { limit, cursor });
    },
  );

  server.get(
    `${notifications}/unread-count`,
    {
      config: own,
      schema: {
        operationId: 'countUnreadNotifications',
        summary: 'Count your unread notifications',
        tags,
        params: workspaceParams,
        response: { 200: countAnswer },
      },
    },
    async (request) => ({ count: await countUnread(db, actorOf(request)) }),
  );
}

function readingRoutes(server: Server, { db, live }: App): void {
  server.post(
    `${notifications}/read-all`,
    {
      config: own,
      schema: {
        operationId: 'markAllNotificationsRead',
        summary: 'Mark all your current notifications read',
        tags,
        params: workspaceParams,
        response: { 200: countAnswer },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: { count: await markAllRead(tx, actor) },
      }));
      tellOfReading(live, actorOf(request), null);
    },
  );

  server.patch(
    `${notifications}/:notificationId/read`,
    {
      config: { ...own, errors: ['notification.not_found'] },
      schema: {
        operationId: 'markNotificationRead',
        summary: 'Mark one of your notifications read',
        tags,
        params: notificationParams,
        response: { 200: notificationSchema },
      },
    },
    async (request, reply) => {
      const { notificationId } = request.params;
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await markRead(tx, actor, notificationId),
      }));
      tellOfReading(live, actorOf(request), notificationId);
    },
  );
}

/** Sends an event to the member's own streams. @param notificationId null: all notifications */
function tellOfReading(live: Live, { workspaceId, userId }: Actor, notificationId: string | null): void {
  live.signal({ workspaceId, userId, event: 'notification.read', data: { notificationId } });
}
