const timeoutMsDefault = 5_000;
/** Entra's keys of all tenants are 40 kB, with their certificates. */
const bytesMax = 512 * 1024;

/**
 * What an identity provider publishes, as JSON.
 * @returns an object; throws for everything else, for what is too large or too slow, and for redirects: keys are where the settings say
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
    // Leaving the loop ends the answer.
    if (bytes > bytesMax) throw new Error(`${new URL(url).origin} answered more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
