import swagger from '@fastify/swagger';
import packageJson from '../../package.json' with { type: 'json' };
import { auditEntrySchema } from '../activity/audit-schema.ts';
import { attachmentSchema } from '../files/schema.ts';
import type { Server } from '../http/http.ts';
import { deliverySchema, webhookSchema } from '../integrations/schema.ts';
import { mailboxSchema } from '../mailboxes/schema.ts';
import { messageSchema } from '../messages/schema.ts';
import { notificationSchema } from '../notifications/schema.ts';
import { eventsPage, listedTicketSchema, ticketSchema, ticketWithMessagesSchema } from '../tickets/schema.ts';
import {
  apiKeySchema,
  inviteSchema,
  memberSchema,
  workspaceSchema,
  workspaceWithSettingsSchema,
} from '../workspaces/schema.ts';
import { completeDocument, type OpenApiDocument, withoutHints } from './openapi-document.ts';

const tags = [
  { name: 'accounts', description: 'Registration, sessions, the links in mails, and whoever is signed in.' },
  { name: 'workspaces', description: 'Workspaces, their members, invitations, API keys and audit log.' },
  { name: 'tickets', description: 'Conversations: list, search, read, answer, change.' },
  { name: 'drafts', description: 'Texts that members have not sent yet.' },
  { name: 'views', description: 'Lists of tickets that are kept under a name.' },
  { name: 'contacts', description: 'Who writes: requesters and participants.' },
  { name: 'attachments', description: 'Files of messages: upload, download.' },
  { name: 'mail', description: 'Mail that came in and could not be understood, kept as it came.' },
  { name: 'mailboxes', description: 'Microsoft 365 and Gmail mailboxes whose mail becomes tickets.' },
  { name: 'notifications', description: 'What the caller was told of in a workspace.' },
  { name: 'integrations', description: 'Webhooks of yours: what happens, sent to an address, signed.' },
  { name: 'webhooks', description: 'What the hosted-mail providers call; nobody else needs them.' },
  { name: 'operations', description: 'For those who run the service: health, metrics, this document.' },
];

/** What generated clients call the things that answers hold. */
const shapes = {
  Ticket: ticketSchema,
  ListedTicket: listedTicketSchema,
  TicketWithMessages: ticketWithMessagesSchema,
  Message: messageSchema,
  Attachment: attachmentSchema,
  TicketEvent: eventsPage.properties.items.items,
  Notification: notificationSchema,
  Mailbox: mailboxSchema,
  Webhook: webhookSchema,
  WebhookDelivery: deliverySchema,
  Workspace: workspaceSchema,
  Member: memberSchema,
  Invite: inviteSchema,
  WorkspaceWithSettings: workspaceWithSettingsSchema,
  ApiKey: apiKeySchema,
  AuditEntry: auditEntrySchema,
};

const description = `The API of Kontor, a shared inbox and support-ticket service.

Sign in with \`POST /v1/auth/session\` and send the access token as \`Authorization: Bearer <token>\`. Everything below
\`/v1/workspaces/{workspaceId}\` also needs the header \`x-workspace-id\` with the same id.

Every answer that is no success has the body \`{ key, params, fallbackMessage }\`, where \`key\` is from a closed list, and every
answer names its line in the log as \`x-correlation-id\`. An address that exists, but not with the method asked for, answers
405 \`route.method_not_allowed\` with the header \`Allow\`; one that does not exist 404 \`route.not_found\`.`;

const accessToken = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'From `POST /v1/auth/session`; lives for an hour. Below a workspace the secret of an API key is good as well, where an operation does not say otherwise.',
} as const;

const sessionCookie = {
  type: 'apiKey',
  in: 'cookie',
  name: 'kontor',
  description:
    'For pages of this service: `POST /v1/auth/session` with `transport` `cookie` sets it. Over https its name is `__Host-kontor`.',
} as const;

/** Collects the routes that are registered after it into an OpenAPI 3.1 document, `server.swagger()`. */
export async function installOpenApi(server: Server, publicUrl: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      // The plugin's types are of 3.0, which knows no identifier of a licence.
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
