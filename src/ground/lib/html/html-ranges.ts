/** Splits sanitised HTML into parts with balanced tags. */

/** Pairs of offsets into the HTML: start and end of each part. Sorted, without overlap. */
export type HtmlRanges = readonly number[];

/**
 * Cuts ranges out of HTML. An element that crosses the edge of a range appears in both results.
 * @param html as `sanitizeHtml` returns it: each `<` begins a tag
 * @returns the HTML without the ranges, and the ranges alone
 */
export function splitHtml(html: string, ranges: HtmlRanges): { outside: string; inside: string } {
  const outside = new Balanced();
  const inside = new Balanced();
  let isInside = false;
  let at = 0;
  for (const end of [...ranges, html.length]) {
    const bounded = Math.max(at, Math.min(end, html.length));
    const part = html.slice(at, bounded);
    (isInside ? inside : outside).add(part);
    // Both results follow every tag, so that each knows which elements are open.
    (isInside ? outside : inside).passOver(part);
    at = bounded;
    isInside = !isInside;
  }
  return { outside: outside.end(), inside: inside.end() };
}

/**
 * Closes what is open at the end, and drops the tags beyond a depth as `sanitizeHtml` does: their text stays.
 * @param html as `sanitizeHtml` returns it, perhaps cut between tags
 */
export function balanced(html: string, depthMax: number): string {
  const open: { name: string; isKept: boolean }[] = [];
  let kept = '';
  let from = 0;
  for (const { 0: tag, 1: slash, 2: name = '', index } of html.matchAll(TAG)) {
    const isKept: boolean = slash === '' ? open.length < depthMax : (open.pop()?.isKept ?? false);
    if (slash === '' && !tag.endsWith('/>')) open.push({ name, isKept });
    if (isKept) continue;
    kept += html.slice(from, index);
    from = index + tag.length;
  }
  const closing = open.filter(({ isKept }) => isKept).reverse();
  return kept + html.slice(from) + closing.map(({ name }) => `</${name}>`).join('');
}

type OpenTag = { name: string; tag: string; isWritten: boolean };

/** A result under construction, with the elements that are open at its end. */
class Balanced {
  #html = '';
  #open: OpenTag[] = [];

  add(part: string): void {
    if (part === '') return;
    for (const tag of this.#open) {
      if (!tag.isWritten) this.#html += tag.tag;
      tag.isWritten = true;
    }
    this.#html += part;
    this.#follow(part, true);
  }

  passOver(part: string): void {
    this.#follow(part, false);
  }

  end(): string {
    const closing = this.#open.filter(({ isWritten }) => isWritten).reverse();
    return this.#html + closing.map(({ name }) => `</${name}>`).join('');
  }

  #follow(part: string, isWritten: boolean): void {
    for (const [tag, slash, name = ''] of part.matchAll(TAG)) {
      if (slash === '') {
        if (!tag.endsWith('/>')) this.#open.push({ name, tag, isWritten });
        continue;
      }
      const closed = this.#open.pop();
      if (closed?.isWritten === true && !isWritten) this.#html += `</${name}>`;
    }
  }
}

/** A tag of sanitised HTML: attributes contain no `>`, and void elements end with a slash. */
const TAG = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/g;
