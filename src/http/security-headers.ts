import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import packageJson from '../../package.json' with { type: 'json' };

/** The headers of every answer, including answers that no hook sees. They never change, so they are built once. */
export const constantHeaders: Readonly<OutgoingHttpHeaders> = {
  ...securityHeaders(),
  // Answers are private and may contain tokens, so no cache may store them (RFC 6749 §5.1). File routes override this.
  'cache-control': 'no-store',
  // Lets a page that has been open for days notice that the service was upgraded.
  'x-kontor-version': packageJson.version,
};

function securityHeaders(): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Kontor may share its domain with unrelated hosts below it.
    strictTransportSecurity: { includeSubDomains: false },
  });
  setHeaders(request, response, (error) => {
    if (error) throw error;
  });
  return { ...response.getHeaders() };
}
