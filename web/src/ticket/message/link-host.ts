/** A host at the beginning of a text, with or without `https://`. */
const hostAtStart = /^\s*(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?=[/:?#\s]|$)/iu;

/**
 * The host that a link's text names although the link leads to another, as phishing mails do.
 * @param address an absolute URL
 * @returns both hosts; undefined where the text names no host, or the link leads to the named host or a part of it
 */
export function otherHost(text: string, address: string): { named: string; actual: string } | undefined {
  const named = hostOf(`https://${hostAtStart.exec(text)?.[1] ?? ''}`);
  const actual = hostOf(address);
  if (named === undefined || actual === undefined || isWithin(named, actual) || isWithin(actual, named))
    return undefined;
  return { named, actual };
}

/** In the form of the address bar: lower case, Punycode. */
function hostOf(address: string): string | undefined {
  const { protocol, hostname } = URL.parse(address) ?? {};
  return protocol === 'https:' || protocol === 'http:' ? hostname?.replace(/^www\./, '') : undefined;
}

function isWithin(part: string, whole: string): boolean {
  return part === whole || part.endsWith(`.${whole}`);
}
