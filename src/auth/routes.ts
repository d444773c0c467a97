import type { App } from '../app.ts';
import type { Server } from '../platform/http.ts';
import { identityRoutes } from './identity-routes.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { meRoutes } from './me-routes.ts';
import { ownSessionRoutes } from './own-session-routes.ts';
import { passwordRoutes } from './password-routes.ts';
import { registrationRoutes } from './registration-routes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { sessionRoutes } from './session-routes.ts';

export function authRoutes(server: Server, app: App): void {
  registrationRoutes(server, app);
  sessionRoutes(server, app);
  invitationRoutes(server, app);
  passwordRoutes(server, app);
  meRoutes(server, app);
  ownSessionRoutes(server, app);
  secondFactorRoutes(server, app);
  identityRoutes(server, app);
}
