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
      serialize ??= fastJsonStringify(schema as fastJsonStringify.Schema);
      return serialize(answer);
    };
  });
}
