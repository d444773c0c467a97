import type { ReportRecipient } from './delivery-status.ts';
import type { MailReport } from './report.ts';

const namedMax = 10;

/**
 * Tells the sender in one line why a mail came back: each failed address and its reason. A bounce can contain any
 * text, so the line marks that text as the words of the other server.
 */
export function bounceReason({ recipients }: Pick<MailReport, 'recipients'>): string {
  const failed = recipients.filter(({ action }) => action === 'failed');
  if (failed.length === 0) return 'The mail came back: it could not be delivered.';
  const named = failed.slice(0, namedMax).map(({ address, ...why }) => `${address}: ${whyOf(why)}`);
  return failed.length > namedMax ? `${named.join('; ')}; and ${failed.length - namedMax} more` : named.join('; ');
}

function whyOf({ status, diagnostic }: Pick<ReportRecipient, 'status' | 'diagnostic'>): string {
  if (diagnostic === null) return status ?? 'it could not be delivered';
  const said = `the other server said “${diagnostic}”`;
  return status === null || diagnostic.includes(status) ? said : `${said} (${status})`;
}
