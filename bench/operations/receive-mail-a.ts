import { type Operation, prepared } from '../operation.ts';
import { mailboxesPerWorkspace, mailboxOf, mailWebhookSecret, workspaceCount } from '../world.ts';

const statement = `
  update mailbox_syncs s
  set due_at = least(due_at, now())
  from mailbox_routes r
  where r.provider = 'mail-a' and r.route_key = $1 and s.workspace_id = r.workspace_id and s.mailbox_id = r.mailbox_id`;

/** A notification of one new mail. The service commits a look into the mailbox before it answers. */
export const receiveMailA: Operation = {
  name: 'webhook-mail-a',
  method: 'POST',
  url: '/v1/webhooks/mail-a',
  isWrite: true,
  goal: { ratioMin: 0.6 },
  want: (_world, random) => {
    const mailbox = mailboxOf(random.below(workspaceCount), random.below(mailboxesPerWorkspace));
    return { params: {}, body: { value: [notificationOf(mailbox.subscriptionIds.inbox)] } };
  },
  limit: async (pool, { body }) => {
    const { value } = body as { value: ReturnType<typeof notificationOf>[] };
    await prepared(pool, 'webhook-mail-a', statement, [value[0]?.subscriptionId]);
    return {};
  },
};

/** In the form that Graph sends. */
function notificationOf(subscriptionId: string) {
  const resource = 'Users/4f5b9e0c-3ac6-4df0-9b44-9d3b1b7d0c11/Messages/AAMkAGI1AAAt9AHjAAA=';
  return {
    subscriptionId,
    subscriptionExpirationDateTime: '2030-01-01T00:00:00.0000000Z',
    changeType: 'created',
    resource,
    resourceData: { '@odata.type': '#Microsoft.Graph.Message', '@odata.id': resource, id: 'AAMkAGI1AAAt9AHjAAA=' },
    clientState: mailWebhookSecret,
    tenantId: '84bd8158-6d4d-4958-8b9f-9d6445542f95',
  };
}
