/** Generated from openapi.json by `npm run web:types`, for the web inbox and for the client alike. */
export type { components, operations, paths } from '../../../client/src/schema.ts';
