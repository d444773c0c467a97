import { Type } from 'typebox';

export const streamQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'As the header `Last-Event-ID`, for clients that cannot set it; the header goes first.',
    }),
  ),
});

/** A stream, as the OpenAPI text tells of it. */
export const eventStream = {
  description: 'Server-sent events, until either side ends it.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};
