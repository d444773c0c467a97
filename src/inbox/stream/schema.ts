import { Type } from 'typebox';

export const streamQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'Like the header `Last-Event-ID`, for clients that cannot set it. The header takes precedence.',
    }),
  ),
});

/** A stream in the OpenAPI document. */
export const eventStream = {
  description: 'Server-sent events, until either side ends it.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};
