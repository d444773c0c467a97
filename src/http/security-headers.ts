import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import packageJson from '../../package.json' with { type: 'json' };

/** What every answer has, also one that no hook sees. It is always the same, so it is made once, not with each request. */
export const constantHeaders: Readonly<OutgoingHttpHeaders> = {
  ...securityHeaders(),
  // An answer is for who asked, and may hold tokens: nobody keeps a copy (RFC 6749 §5.1). Files say otherwise themselves.
  'cache-control': 'no-store',
  // A page that is open for days sees that the service is another one than it came from.
  'x-kontor-version': packageJson.version,
};

function securityHeaders(): OutgoingHttpHeaders {
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
