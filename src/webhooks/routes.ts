import type { App } from '../app.ts';
import type { Server } from '../platform/http.ts';

export function webhookRoutes(_server: Server, _app: App): void {}
