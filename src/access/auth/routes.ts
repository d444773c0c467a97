import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { invitationRoutes } from './joining/invitation-routes.ts';
import { registrationRoutes } from './joining/registration-routes.ts';
import { addressRoutes } from './own-account/address-routes.ts';
import { identityRoutes } from './own-account/identity-routes.ts';
import { meRoutes } from './own-account/me-routes.ts';
import { ownSessionRoutes } from './own-account/own-session-routes.ts';
import { secondFactorRoutes } from './own-account/second-factor-routes.ts';
import { passwordRoutes } from './password-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** Anyone can send these requests, and their bodies are small. */
const bodyBytesMax = 16 * 1024;

export function authRoutes(server: Server, app: App): void {
  server.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/auth/')) route.bodyLimit = bodyBytesMax;
  });
  registrationRoutes(server, app);
  sessionRoutes(server, app);
  invitationRoutes(server, app);
  passwordRoutes(server, app);
  meRoutes(server, app);
  addressRoutes(server, app);
  ownSessionRoutes(server, app);
  secondFactorRoutes(server, app);
  identityRoutes(server, app);
}
