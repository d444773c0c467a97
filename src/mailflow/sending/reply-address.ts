import type { MessageId } from '../../lib/ids.ts';
import { replyAddress, signReplyToken } from '../../mail/threading.ts';
import type { Config } from '../../settings/config.ts';
import type { InboundAddress } from '../../workspaces/inbound-address.ts';
import { inboundAddressOf } from '../own-addresses.ts';

/**
 * Where replies to a message go: the workspace's inbound address where mail comes in by SMTP, else the sender's, with a
 * signed token as its plus tag. The token names the message: wherever that is moved, replies follow.
 */
export function replyAddressOf(
  { mailFrom, smtpListen }: Pick<Config, 'mailFrom' | 'smtpListen'>,
  { localPart, replyKey }: Pick<InboundAddress, 'localPart' | 'replyKey'>,
  messageId: MessageId,
): string {
  const address = smtpListen === undefined ? mailFrom.email : inboundAddressOf({ localPart }, mailFrom);
  // A sender's local part may be so long that no token fits behind it: then replies are known by their ids.
  return replyAddress(address, signReplyToken(messageId, replyKey)) ?? address;
}
