import { Type } from 'typebox';
import { uuid } from '../platform/schema.ts';

export const attachmentParams = Type.Object({ workspaceId: uuid, attachmentId: uuid });

/** Bytes of any kind, as the OpenAPI text tells of them. */
export const bytes = (description: string) => ({
  description,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
});
