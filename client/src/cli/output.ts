import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { styleText } from 'node:util';

/** A piece of a line, perhaps in another style where the output is a terminal. */
export type Part = string | { style: 'bold' | 'dim'; text: string };

/** Where a command writes: lines for people, or one JSON object on each line. */
export type Output = {
  isJson: boolean;
  line(...parts: Part[]): void;
  json(value: unknown): void;
  /** Passes an answer on: a file as its bytes, and to a terminal only as harmless text. */
  copy(bytes: ReadableStream, type: string): Promise<void>;
  /** Tells the person something that is no result, even where the output goes to a file. */
  note(text: string): void;
};

export const bold = (text: string): Part => ({ style: 'bold', text });
export const dim = (text: string): Part => ({ style: 'dim', text });

export function openOutput(isJson: boolean): Output {
  const { stdout, stderr } = process;
  const hasStyles = stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const shown = (part: Part) => {
    if (typeof part === 'string') return harmless(part);
    return hasStyles ? styleText(part.style, harmless(part.text)) : harmless(part.text);
  };
  return {
    isJson,
    line: (...parts) => void stdout.write(`${parts.map(shown).join('')}\n`),
    json: (value) => void stdout.write(`${jsonLine(value)}\n`),
    copy: async (bytes, type) => {
      if (stdout.isTTY !== true && !/json/.test(type)) {
        await pipeline(Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]), stdout, { end: false });
        return;
      }
      const text = (await new Response(bytes).text()).trimEnd();
      if (text !== '') stdout.write(`${stdout.isTTY === true ? harmless(text) : text}\n`);
    },
    note: (text) => void stderr.write(`${harmless(text)}\n`),
  };
}

/** Control characters, which give orders to a terminal, and characters that turn the direction of a text. */
const unwanted = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Mail of strangers must not reach a terminal as it is. */
function harmless(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(unwanted, '\ufffd');
}

/** JSON escapes most control characters by itself, but not those from U+007F on. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
