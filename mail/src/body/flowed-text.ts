/** Joins the flowed lines of plain text (RFC 3676). */

/** Longer text keeps its line breaks, because the inbox does not show text beyond this length. */
const TEXT_CHARS_MAX = 2_000_000;

/**
 * Joins the soft-broken lines of `format=flowed` text, and keeps the depth of each quote.
 * @param text with LF line ends
 * @param deletesSpace the `delsp=yes` parameter: the blank before a soft break does not belong to the text
 */
export function unflow(text: string, deletesSpace: boolean): string {
  if (text.length > TEXT_CHARS_MAX) return text;
  const lines: string[] = [];
  let open: { depth: number; text: string } | null = null;
  for (const line of text.split('\n')) {
    const depth = quoteDepth(line);
    let content = line.slice(depth);
    if (content.startsWith(' ')) content = content.slice(1);
    // The signature separator ends with a blank but is never a soft break (RFC 3676 §4.3).
    const isSoft = content.endsWith(' ') && content !== '-- ';
    if (open !== null && (open.depth !== depth || content === '-- ')) {
      lines.push(quoted(open.depth, open.text));
      open = null;
    }
    const kept: string = isSoft && deletesSpace ? content.slice(0, -1) : content;
    const joined: string = open === null ? kept : open.text + kept;
    if (isSoft) {
      open = { depth, text: joined };
    } else {
      lines.push(quoted(depth, joined));
      open = null;
    }
  }
  if (open !== null) lines.push(quoted(open.depth, open.text));
  return lines.join('\n');
}

function quoteDepth(line: string): number {
  let depth = 0;
  while (line[depth] === '>') depth++;
  return depth;
}

function quoted(depth: number, text: string): string {
  return depth === 0 ? text : `${'>'.repeat(depth)} ${text}`;
}
