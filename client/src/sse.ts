export type SseBlock = {
  event: string;
  /** null: a block without data, which still may have an id. */
  data: string | null;
  /** The id of this block; undefined without one. */
  id: string | undefined;
  retryMs: number | undefined;
};

/**
 * Parses server-sent events, as the HTML standard describes them. Unlike `EventSource` it also gives blocks without
 * data: the first id of a stream comes in one. Comments give an empty block, as a sign of life.
 */
export function sseParser(): (text: string) => SseBlock[] {
  let rest = '';
  let lines: string[] = [];
  let isFirst = true;
  return (text) => {
    rest += isFirst ? text.replace(/^\ufeff/, '') : text;
    if (text !== '') isFirst = false;
    const blocks: SseBlock[] = [];
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(rest);
      if (end === null) return blocks;
      const line = rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      if (line !== '') lines.push(line);
      else if (lines.length > 0) {
        blocks.push(blockOf(lines));
        lines = [];
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
