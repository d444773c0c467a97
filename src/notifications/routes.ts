import { Type } from 'typebox';
import type { App } from '../app.ts';
import { actorOf, type Server } from '../platform/http.ts';
import { answerInTx } from '../platform/idempotency.ts';
import { workspaceParams } from '../platform/schema.ts';
import { markRead } from './mark-read.ts';
import { countUnread, listNotifications } from './queries.ts';
import { listNotificationsQuery, notificationParams, notificationSchema, notificationsPage } from './schema.ts';

const notifications = '/v1/workspaces/:workspaceId/notifications';
const tags = ['notifications'];
const own = { can: 'notification.own' } as const;

export function notificationRoutes(server: Server, { db }: App): void {
  server.get(
    notifications,
    {
      config: own,
      schema: {
        operationId: 'listNotifications',
        summary: 'Your notifications, newest first',
        tags,
        params: workspaceParams,
        querystring: listNotificationsQuery,
        response: { 200: notificationsPage },
      },
    },
    (request) => {
      const { limit = 20, cursor } = request.query;
      return listNotifications(db, actorOf(request), { limit, cursor });
    },
  );

  server.get(
    `${notifications}/unread-count`,
    {
      config: own,
      schema: {
        operationId: 'countUnreadNotifications',
        summary: 'How many of your notifications are unread',
        tags,
        params: workspaceParams,
        response: { 200: Type.Object({ count: Type.Integer() }) },
      },
    },
    async (request) => ({ count: await countUnread(db, actorOf(request)) }),
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
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await markRead(tx, actor, request.params.notificationId),
      })),
  );
}
