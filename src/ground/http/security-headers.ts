import type { OutgoingHttpHeaders } from 'node:http';
import packageJson from '../../../package.json' with { type: 'json' };

/** The headers of every answer, including answers that no hook sees. */
export const constantHeaders: Readonly<OutgoingHttpHeaders> = {
  // Pages of the service override this policy.
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  // Without `includeSubDomains`: Kontor may share its domain with unrelated hosts below it.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  // 0 turns off the filter of old browsers, which could be abused.
  'x-xss-protection': '0',
  // Answers are private and may contain tokens, so no cache may store them (RFC 6749 §5.1). File routes override this.
  'cache-control': 'no-store',
  // Lets a page that has been open for days notice that the service was upgraded.
  'x-kontor-version': packageJson.version,
};
