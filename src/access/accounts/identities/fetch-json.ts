import { gatherBytes } from '../../../ground/lib/join-bytes.ts';

const timeoutMsDefault = 5_000;
/** Entra's key set for all tenants takes 40 kB, certificates included. */
const bytesMax = 512 * 1024;

/**
 * Fetches a JSON object that an identity provider publishes. Throws for any other JSON value, for an answer that is too
 * large or too slow, and for redirects: keys must come from the address in the settings.
 */
export async function fetchJson(
  url: string,
  { signal, timeoutMs = timeoutMsDefault }: { signal: AbortSignal; timeoutMs?: number },
): Promise<object> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${new URL(url).origin} answered ${response.status}`);
  }
  const bytes = await gatherBytes(response.body ?? [], bytesMax);
  if (bytes === undefined) throw new Error(`${new URL(url).origin} answered more than ${bytesMax} bytes`);
  const value: unknown = JSON.parse(bytes.toString());
  if (typeof value !== 'object' || value === null) throw new Error(`${new URL(url).origin} answered no JSON object`);
  return value;
}
