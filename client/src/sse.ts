import { unknownAnswer } from './error.ts';

export type SseBlock = {
  event: string;
  /** null: a block without data, which still may have an id. */
  data: string | null;
  /** The id of this block, if any. */
  id: string | undefined;
  retryMs: number | undefined;
};

/** Many times the longest event, so that an endless event does not fill the memory. */
const blockCharsMax = 4 * 1024 ** 2;

/**
 * Parses server-sent events, as the HTML standard describes them. Unlike `EventSource` it also gives blocks without
 * data: the first id of a stream comes in such a block. Comments give an empty block, as a sign of life. Throws a
 * `KontorError` for a block that is too long.
 */
export function sseParser(): (text: string) => SseBlock[] {
  let rest = '';
  let lines: string[] = [];
  let chars = 0;
  let isFirst = true;
  const lineEnd = /\r\n|\n|\r(?!$)/g;
  return (text) => {
    // The earlier text has no line end, except perhaps a CR as its last character.
    let searchFrom = Math.max(rest.length - 1, 0);
    rest += isFirst ? text.replace(/^\ufeff/, '') : text;
    if (text !== '') isFirst = false;
    const blocks: SseBlock[] = [];
    for (;;) {
      lineEnd.lastIndex = searchFrom;
      const end = lineEnd.exec(rest);
      if (end === null && chars + rest.length > blockCharsMax) throw unknownAnswer('an event is too long');
      if (end === null) return blocks;
      const line = rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      searchFrom = 0;
      chars += line.length;
      if (line !== '') lines.push(line);
      else if (lines.length > 0) {
        blocks.push(blockOf(lines));
        lines = [];
        chars = 0;
      }
    }
  };
}

function blockOf(lines: string[]): SseBlock {
  const block: SseBlock = { event: 'message', data: null, id: undefined, retryMs: undefined };
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event' && value !== '') block.event = value;
    else if (name === 'data') block.data = block.data === null ? value : `${block.data}\n${value}`;
    else if (name === 'id' && !value.includes('\0')) block.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) block.retryMs = Number(value);
  }
  return block;
}
