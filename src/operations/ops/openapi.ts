import swagger from '@fastify/swagger';
import packageJson from '../../../package.json' with { type: 'json' };
import { teamSchema, teamWithMembersSchema } from '../../access/teams/schema.ts';
import {
  apiKeySchema,
  inviteSchema,
  memberSchema,
  workspaceSchema,
  workspaceWithSettingsSchema,
} from '../../access/workspaces/schema.ts';
import { autoReplySchema } from '../../automation/auto-replies/schema.ts';
import { calendarSchema } from '../../automation/calendars/schema.ts';
import { ruleSchema } from '../../automation/rules/schema.ts';
import { auditEntrySchema } from '../../events/activity/audit-schema.ts';
import { deliverySchema, webhookSchema } from '../../events/integrations/schema.ts';
import { notificationSchema } from '../../events/notifications/schema.ts';
import type { Server } from '../../ground/http/http.ts';
import { attachmentSchema } from '../../helpdesk/files/schema.ts';
import { messageSchema } from '../../helpdesk/messages/schema.ts';
import {
  changedTicketSchema,
  eventsPage,
  listedTicketSchema,
  ticketSchema,
  ticketWithMessagesSchema,
} from '../../helpdesk/tickets/schema.ts';
import { mailboxSchema } from '../../mail/mailboxes/schema.ts';
import { completeDocument, type OpenApiDocument, withoutHints } from './openapi-document.ts';

const tags = [
  { name: 'accounts', description: 'Registration, sessions, the links in mails, and the signed-in account.' },
  { name: 'workspaces', description: 'Workspaces, their members, invitations, API keys and audit log.' },
  { name: 'teams', description: 'Teams of members, and who sees their tickets.' },
  { name: 'tickets', description: 'Conversations: list, search, read, answer, change.' },
  { name: 'drafts', description: 'Messages that members have not sent yet.' },
  { name: 'saved-replies', description: 'Texts and actions kept under a name, to answer with.' },
  { name: 'calendars', description: 'Business hours: when the workspace is open, and counting by them.' },
  { name: 'views', description: 'Saved lists of tickets.' },
  { name: 'tags', description: 'Words that sort tickets: their use, colours, renames.' },
  { name: 'rules', description: 'What the service does with tickets by itself, and what it did.' },
  { name: 'auto-replies', description: 'Mails that answer customers by themselves.' },
  { name: 'surveys', description: 'How satisfied customers are: what is asked, and what they answered.' },
  { name: 'reports', description: 'Figures of tickets, answers and times, and the tickets behind each figure.' },
  { name: 'contacts', description: 'The people who write to you: requesters and participants.' },
  { name: 'attachments', description: 'Files of messages: upload, download.' },
  { name: 'mail', description: 'Incoming mail: its address, the raw mails, and mails that could not be read.' },
  { name: 'mailboxes', description: 'Connected Microsoft 365 and Gmail mailboxes, whose mail becomes tickets.' },
  { name: 'notifications', description: "The caller's notifications in a workspace." },
  { name: 'integrations', description: 'Your webhooks: signed deliveries of events to your server.' },
  { name: 'webhooks', description: 'Endpoints that only the mail providers call.' },
  { name: 'operations', description: 'For operators of the service: health, metrics, this document.' },
];

/** The names of shared shapes in generated clients. */
const shapes = {
  Ticket: ticketSchema,
  ChangedTicket: changedTicketSchema,
  ListedTicket: listedTicketSchema,
  TicketWithMessages: ticketWithMessagesSchema,
  Message: messageSchema,
  Attachment: attachmentSchema,
  TicketEvent: eventsPage.properties.items.items,
  Notification: notificationSchema,
  Mailbox: mailboxSchema,
  Webhook: webhookSchema,
  WebhookDelivery: deliverySchema,
  Rule: ruleSchema,
  AutoReply: autoReplySchema,
  Workspace: workspaceSchema,
  Team: teamSchema,
  TeamWithMembers: teamWithMembersSchema,
  Calendar: calendarSchema,
  Member: memberSchema,
  Invite: inviteSchema,
  WorkspaceWithSettings: workspaceWithSettingsSchema,
  ApiKey: apiKeySchema,
  AuditEntry: auditEntrySchema,
};

const description = `The API of Kontor, a shared inbox and support-ticket service.

Sign in with \`POST /v1/auth/session\` and send the access token as \`Authorization: Bearer <token>\`. Everything below
\`/v1/workspaces/{workspaceId}\` also needs the header \`x-workspace-id\` with the same id.

Every error has the body \`{ key, params, fallbackMessage }\`, where \`key\` is from a closed list. Every answer has the
header \`x-correlation-id\`, which is also on the log lines of the request. A known address answers an unsupported
method with 405 \`route.method_not_allowed\` and the header \`Allow\`. An unknown address answers
404 \`route.not_found\`.`;

const accessToken = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'From `POST /v1/auth/session`; valid for an hour. Below a workspace the secret of an API key works as well, ' +
    'unless an operation says otherwise.',
} as const;

const sessionCookie = {
  type: 'apiKey',
  in: 'cookie',
  name: 'kontor',
  description:
    'For pages of this service: `POST /v1/auth/session` with `transport` `cookie` sets it. ' +
    'Over https its name is `__Host-kontor`.',
} as const;

/** Collects all routes registered later into an OpenAPI 3.1 document, `server.swagger()`. */
export async function installOpenApi(server: Server, publicUrl: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      // The plugin's types describe OpenAPI 3.0, which has no licence identifier.
      info: {
        title: 'Kontor',
        version: packageJson.version,
        description,
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
      },
      servers: [{ url: publicUrl }],
      tags,
      components: { securitySchemes: { accessToken, sessionCookie } },
    },
    transform: ({ schema, url }) => ({ schema: withoutHints(schema), url }),
    transformObject: (made) => {
      if (!('openapiObject' in made)) throw new Error('the document is not of OpenAPI 3');
      completeDocument(made.openapiObject as OpenApiDocument, shapes);
      return made.openapiObject;
    },
  });
}
