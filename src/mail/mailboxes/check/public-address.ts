import { randomBytes } from 'node:crypto';
import { ProviderFault } from '../../provider-fault.ts';
import { askProvider } from '../../providers/provider-request.ts';
import { providerKeys } from '../../providers/registry.ts';

/**
 * Asks this service for an echo through its public address, as Microsoft does before it notifies. Throws a
 * `ProviderFault` if something else answers there. From inside a network the address may lead elsewhere than from the
 * Internet, so success is a strong sign and no proof.
 */
export async function reachPublicAddress(publicUrl: string, signal: AbortSignal): Promise<void> {
  const token = randomBytes(16).toString('hex');
  const url = `${publicUrl}/v1/webhooks/${providerKeys.microsoft}?validationToken=${token}`;
  const { status, body } = await askProvider({ provider: publicUrl, url, signals: [signal], answerBytesMax: 4_096 });
  if (status === 200 && body.toString() === token) return;
  throw new ProviderFault('misconfigured', String(status), `Another server than this service answers at ${publicUrl}.`);
}
