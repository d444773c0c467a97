import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/** The security headers of every answer. They are always the same, so they are made once, not with each request. */
export function securityHeaders(): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Kontor may share its domain's name with hosts that it knows nothing of.
    strictTransportSecurity: { includeSubDomains: false },
  });
  setHeaders(request, response, (error) => {
    if (error) throw error;
  });
  return { ...response.getHeaders() };
}
