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
  const value: unknown = JSON.parse(await textOf(response));
  if (typeof value !== 'object' || value === null) throw new Error(`${new URL(url).origin} answered no JSON object`);
  return value;
}

async function textOf({ body, url }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Throwing ends the loop, which cancels the rest of the response.
    if (bytes > bytesMax) throw new Error(`${new URL(url).origin} answered more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
