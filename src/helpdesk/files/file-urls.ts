import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Scope, Sight } from '../../ground/catalog/scope.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import type { AttachmentId, WorkspaceId } from '../../ground/lib/ids.ts';

/** Signed addresses that show a file to anyone for some minutes, because an `<img>` sends no token. */
export type FileUrls = {
  urlOf(scope: Scope, attachmentId: AttachmentId): string;
  /** Checks the signature and the expiry of an address. @returns the scope for which it was made */
  check(file: SignedFile): Scope | 'expired' | 'forged';
  /** The address that shows a mail's picture from another server. */
  imageUrlOf(workspaceId: WorkspaceId, address: string): string;
  checkImage(image: SignedImage): Verdict;
};

type SignedFile = {
  workspaceId: WorkspaceId;
  attachmentId: AttachmentId;
  /** Unix time, seconds. */
  expires: number;
  signature: string;
};

type SignedImage = Omit<SignedFile, 'attachmentId'> & { address: string };
type Verdict = 'valid' | 'expired' | 'forged';

/** Addresses expire at multiples of ten minutes. So they stay the same between reads, and browsers cache the file. */
const stepSeconds = 600;

/** @param secret shared by all processes; separate keys for files and images are derived from it */
export function openFileUrls({
  secret,
  publicUrl,
  clock,
}: {
  secret: Uint8Array;
  publicUrl: string;
  clock: Clock;
}): FileUrls {
  const key = createHmac('sha256', secret).update('kontor file url 1').digest();
  const imageKey = createHmac('sha256', secret).update('kontor image url 1').digest();
  const sign = ({ workspaceId, sight }: Scope, attachmentId: AttachmentId, expires: number) =>
    createHmac('sha256', key)
      .update(`${workspaceId}/${attachmentId}/${expires}${sight && `/${sight}`}`)
      .digest();
  const signImage = (workspaceId: WorkspaceId, address: string, expires: number) =>
    createHmac('sha256', imageKey).update(`${workspaceId}/${expires}/${address}`).digest();
  const now = () => Math.floor(clock.now().getTime() / 1000);
  const expiry = () => (Math.floor(now() / stepSeconds) + 2) * stepSeconds;
  const verdictOf = (expected: Buffer, signature: string, expires: number): Verdict => {
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
    return expires < now() ? 'expired' : 'valid';
  };
  return {
    imageUrlOf: (workspaceId, address) => {
      const expires = expiry();
      const signature = signImage(workspaceId, address, expires).toString('base64url');
      const query = new URLSearchParams({ address, expires: String(expires), signature });
      return `${publicUrl}/v1/remote-images/${workspaceId}?${query}`;
    },
    checkImage: ({ workspaceId, address, expires, signature }) =>
      verdictOf(signImage(workspaceId, address, expires), signature, expires),
    urlOf: (scope, attachmentId) => {
      const expires = expiry();
      const { workspaceId, sight } = scope;
      const named = sight && `.${Buffer.from(sight).toString('base64url')}`;
      const signature = `${sign(scope, attachmentId, expires).toString('base64url')}${named}`;
      return `${publicUrl}/v1/files/${workspaceId}/${attachmentId}?expires=${expires}&signature=${signature}`;
    },
    check: ({ workspaceId, attachmentId, expires, signature: given }) => {
      const [signature = '', named = ''] = given.split('.');
      const scope = { workspaceId, sight: Buffer.from(named, 'base64url').toString() as Sight };
      const verdict = verdictOf(sign(scope, attachmentId, expires), signature, expires);
      return verdict === 'valid' ? scope : verdict;
    },
  };
}
