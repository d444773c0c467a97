import type { App } from '../app.ts';
import type { Server } from '../http/http.ts';
import { gmailRoutes } from './gmail-routes.ts';
import { graphRoutes } from './graph-routes.ts';
import { openIntake } from './intake.ts';

/**
 * Where mail providers tell of new mail. Whoever shows to be one is answered 202 once what there is to do is committed, and
 * never waits for it to be done.
 */
export function webhookRoutes(server: Server, app: App): void {
  const intake = openIntake({ db: app.db, log: app.log, tally: app.webhookTally });
  graphRoutes(server, app, intake);
  gmailRoutes(server, app, intake);
}
