/** An operation of `openapi.json`. */
export type Operation = { id: string; method: string; path: string };

declare module 'vitest' {
  interface ProvidedContext {
    /** All operations, of which the fake API finds the one that a request asks for. */
    operations: Operation[];
  }
}
