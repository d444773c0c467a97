import type { ReportRecipient } from './delivery-status.ts';
import type { MailReport } from './report.ts';

const namedMax = 10;

/**
 * Why a mail came back, in one line for its sender: each address that failed, and the reason. A bounce can contain any text,
 * so it is marked as the words of the other server.
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
