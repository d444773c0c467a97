/** Generated from openapi.json by `npm run web:types`, for the web inbox and for the client alike. */
export type { KontorPaths } from '../../../client/src/paths.ts';
export type { components, operations, paths } from '../../../client/src/schema.ts';
