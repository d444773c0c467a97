/** The rest of a longer text cannot be read at a glance. */
const charsMax = 2_000;
/** What cannot be seen: soft hyphens, zero-width blanks, marks of direction. */
const unseen = /\u034f|[\p{Cf}\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;
/** Letters that look like a full stop, beside those that NFKC makes one. */
const dots = /[\u00b7\u0387\u06d4\u2027\u22c5\u3002\u30fb\u318d]/g;
/** Ends of names that look like a domain and name a file. */
const fileEnds = new Set([
  ...['pdf', 'doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'odt', 'ods', 'odp', 'txt', 'csv', 'rtf', 'eml', 'ics'],
  ...['jpg', 'jpeg', 'png', 'gif', 'svg', 'webp', 'mp3', 'mp4', 'wav', 'zip', 'rar', 'gz', 'exe', 'log'],
  ...['htm', 'html', 'php', 'asp', 'aspx', 'js', 'jsx', 'ts', 'tsx', 'json', 'xml', 'css'],
]);

/**
 * The host that a link's text names although the link leads to another, as phishing mails do. The first host counts,
 * wherever it stands in the text and however it is written.
 * @param address an absolute URL
 * @returns both hosts; undefined where the text names no host, or the link leads to the named host or a part of it
 */
export function otherHost(text: string, address: string): { named: string; actual: string } | undefined {
  const named = hostIn(text);
  const actual = hostOf(address);
  if (named === undefined || actual === undefined || isWithin(named, actual) || isWithin(actual, named))
    return undefined;
  return { named, actual };
}

function hostIn(text: string): string | undefined {
  const plain = text.slice(0, charsMax).replace(unseen, '').normalize('NFKC').replace(unseen, '').replace(dots, '.');
  for (const word of plain.split(/[^\p{L}\p{M}\p{N}.-]+/u)) {
    const name = word.replace(/^[.-]{1,20}|[.-]{1,20}$/g, '').toLowerCase();
    const host = isHost(name) ? hostOf(`https://${name}`) : undefined;
    if (host !== undefined) return host;
  }
  return undefined;
}

/** Whether a name has at least two labels, and its last can be a top-level domain; or it is an IPv4 address. */
function isHost(name: string): boolean {
  const labels = name.split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || labels.some((label) => label === '')) return false;
  if (labels.every((label) => /^\d{1,3}$/.test(label))) return labels.length === 4;
  return /^(?:[\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{1,59})$/u.test(last) && !fileEnds.has(last);
}

/** In the form of the address bar: lower case, Punycode. */
function hostOf(address: string): string | undefined {
  const { protocol, hostname } = URL.parse(address) ?? {};
  return protocol === 'https:' || protocol === 'http:' ? hostname?.replace(/^www\./, '') : undefined;
}

function isWithin(part: string, whole: string): boolean {
  return part === whole || part.endsWith(`.${whole}`);
}
