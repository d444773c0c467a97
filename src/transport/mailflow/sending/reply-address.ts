import { replyAddress, signReplyToken } from '@kontor/mail/threading.ts';
import type { InboundAddress } from '../../../access/workspaces/inbound-address.ts';
import type { MessageId } from '../../../ground/lib/ids.ts';
import type { Config } from '../../../ground/settings/config.ts';
import { inboundAddressOf } from '../own-addresses.ts';

/**
 * The address for replies to a message, with a signed token as its plus tag. Uses the workspace's inbound address if
 * the service receives SMTP, otherwise the sender. The token names the message, so replies follow even a moved
 * message.
 */
export function replyAddressOf(
  { mailFrom, smtpListen }: Pick<Config, 'mailFrom' | 'smtpListen'>,
  { localPart, replyKey }: Pick<InboundAddress, 'localPart' | 'replyKey'>,
  messageId: MessageId,
): string {
  const address = smtpListen === undefined ? mailFrom.email : inboundAddressOf({ localPart }, mailFrom);
  // A long local part leaves no room for the token. Then ids identify the replies.
  return replyAddress(address, signReplyToken(messageId, replyKey)) ?? address;
}
