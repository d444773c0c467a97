import type { Scope } from '../../ground/catalog/scope.ts';
import { splitHtml } from '../../ground/lib/html/html-ranges.ts';
import { remoteAddressesIn } from '../../ground/lib/html/remote-addresses.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { Message, StoredMessage } from './schema.ts';

/** Shapes a message for the API: signs the addresses of files and splits HTML into new and quoted parts. */
export function presentMessage(fileUrls: FileUrls, scope: Scope, message: StoredMessage): Message {
  const { bodyHtml, quotedHtmlRanges: ranges } = message;
  const parts = bodyHtml === null || ranges === null ? null : splitHtml(bodyHtml, ranges);
  return {
    ...message,
    newHtml: parts?.outside ?? null,
    quotedHtml: parts?.inside ?? null,
    remoteImages:
      bodyHtml === null
        ? []
        : remoteAddressesIn(bodyHtml).map((address) => ({
            address,
            url: fileUrls.imageUrlOf(scope.workspaceId, address),
          })),
    attachments: message.attachments.map((file) => ({ ...file, url: fileUrls.urlOf(scope, file.id) })),
  };
}
