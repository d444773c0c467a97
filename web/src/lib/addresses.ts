/** Matches addresses that the API accepts. */
const address = /^(?:[^\s@<>",;:\p{Cc}]+|"(?:[^"\\\p{Cc}]|\\[ -~])+")@[^\s@<>",;:\p{Cc}]+$/u;

export function isAddress(text: string): boolean {
  return text.length <= 254 && address.test(text);
}

/**
 * The addresses in a text such as `Ann <ann@example.org>, bob@example.org; …`. Parts without an address stay as they
 * are.
 */
export function addressesIn(text: string): string[] {
  return text
    .replace(/"[^"\n]*"(?=\s*<)/g, '')
    .split(/[,;\n\t]+|(?<=>)\s+/)
    .map((part) => /<([^<>]+)>\s*$/.exec(part)?.[1] ?? part)
    .map((part) => part.replace(/^mailto:/i, '').trim())
    .flatMap((part) => (isAddress(part) ? [part] : part.split(/\s+/).every(isAddress) ? part.split(/\s+/) : [part]))
    .filter((part) => part !== '');
}

export function withAddresses(listed: readonly string[], added: readonly string[]): string[] {
  const all = [...listed];
  for (const one of added) if (!all.some((other) => isSameAddress(one, other))) all.push(one);
  return all;
}

export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
