import fastJsonStringify from 'fast-json-stringify';
import type { Server } from './http.ts';

/**
 * Compiles each serializer at its first use. Every status of every route has a serializer, and most are never used.
 * Compiling all of them delayed each start by 0.2 s.
 */
export function installSerializers(server: Server): void {
  server.setSerializerCompiler(({ schema }) => {
    let serialize: ((answer: unknown) => string) | undefined;
    return (answer: unknown) => {
      serialize ??= fastJsonStringify(withNullable(schema) as fastJsonStringify.Schema);
      return serialize(answer);
    };
  });
}

/**
 * Replaces a union with `null` by `nullable`. The serializer validates a value against each alternative of a union. For
 * a page of tickets the validation took longer than writing the page.
 */
function withNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, ...rest } = schema as { anyOf?: { type?: string }[] };
  const [some, nothing, ...others] = anyOf ?? [];
  if (some?.type !== undefined && nothing?.type === 'null' && others.length === 0)
    return withNullable({ ...rest, ...some, nullable: true });
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withNullable(value)]));
}
