import fastJsonStringify from 'fast-json-stringify';
import type { Server } from './http.ts';

/**
 * Compiles what writes an answer when the first of its kind is written: every status of every route has one, most are
 * never needed, and compiling all of them held up each start by a fifth of a second.
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
 * `nullable` in place of a union with `null`: of a union's alternatives the right one is found by validating the value against
 * each, which for a page of tickets took longer than writing it.
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
