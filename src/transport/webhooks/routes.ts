import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { gmailRoutes } from './gmail-routes.ts';
import { graphRoutes } from './graph-routes.ts';
import { openIntake } from './intake.ts';

/**
 * Receives the notifications of mail providers. A caller that proves to be the provider gets 202 once its work is
 * committed. The answer never waits until the work is done.
 */
export function webhookRoutes(server: Server, app: App): void {
  const intake = openIntake({ ...app, tally: app.webhookTally });
  graphRoutes(server, app, intake);
  gmailRoutes(server, app, intake);
}
