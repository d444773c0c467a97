import type { App } from '../app.ts';
import type { Server } from '../platform/http.ts';

export function mailboxRoutes(_server: Server, _app: App): void {}
