/**
 * IMAP commands from bytes (RFC 3501 §9). Strings hold one byte in each character, so that mails and names stay as the
 * client sent them.
 */
export type Token = string | Token[];

export type Command = { tag: string; name: string; args: Token[] };

export type CommandReader = {
  push(bytes: Buffer): void;
  /** Takes the next line as it is, not as a command: an answer to a continuation request. */
  takeLine(take: (line: string) => void): void;
};

/** Longer lines and literals end the connection. */
const lineBytesMax = 1 << 20;

type Handlers = {
  /** Asked before a synchronising literal is read. @returns false to refuse the command */
  onLiteral(tag: string, bytes: number): boolean;
  onCommand(command: Command): void;
  onBroken(): void;
};

export function makeCommandReader({ onLiteral, onCommand, onBroken }: Handlers): CommandReader {
  let buffered = '';
  let chunks: string[] = [];
  let chunkBytes = 0;
  let command = '';
  let literalBytes = 0;
  const lineTakers: ((line: string) => void)[] = [];

  const takeLine = (line: string): void => {
    const taker = command === '' ? lineTakers.shift() : undefined;
    if (taker !== undefined) {
      taker(line);
      return;
    }
    command += line;
    const literal = /\{(\d+)(\+?)\}$/.exec(line);
    if (literal === null) {
      const whole = command;
      command = '';
      if (whole !== '') onCommand(parseCommand(whole));
      return;
    }
    command += '\r\n';
    literalBytes = Number(literal[1]);
    if (literal[2] === '' && !onLiteral(command.split(' ', 1)[0] ?? '*', literalBytes)) {
      command = '';
      literalBytes = 0;
    }
  };

  const drain = (): void => {
    while (true) {
      if (literalBytes > 0) {
        if (buffered.length < literalBytes) return;
        command += buffered.slice(0, literalBytes);
        buffered = buffered.slice(literalBytes);
        literalBytes = 0;
      }
      const end = buffered.indexOf('\n');
      if (end < 0) {
        if (buffered.length > lineBytesMax) onBroken();
        return;
      }
      const line = buffered.slice(0, end).replace(/\r$/, '');
      buffered = buffered.slice(end + 1);
      takeLine(line);
    }
  };

  return {
    push: (bytes) => {
      // Joined only when a literal is whole: joining each part of a large mail would take quadratic time.
      chunks.push(bytes.toString('latin1'));
      chunkBytes += bytes.length;
      if (buffered.length + chunkBytes < literalBytes) return;
      buffered += chunks.join('');
      chunks = [];
      chunkBytes = 0;
      drain();
    },
    takeLine: (take) => lineTakers.push(take),
  };
}

function parseCommand(text: string): Command {
  const tokens = parseTokens(text);
  const [tag = '*', first = ''] = tokens.map(String);
  const isUid = first.toUpperCase() === 'UID';
  const name = isUid ? `UID ${String(tokens[2] ?? '')}` : first;
  return { tag, name: name.toUpperCase(), args: tokens.slice(isUid ? 3 : 2) };
}

function parseTokens(text: string): Token[] {
  const stack: Token[][] = [[]];
  let at = 0;
  const top = () => stack.at(-1) ?? [];
  while (at < text.length) {
    const char = text[at];
    if (char === ' ') at++;
    else if (char === '(') {
      const list: Token[] = [];
      top().push(list);
      stack.push(list);
      at++;
    } else if (char === ')') {
      if (stack.length > 1) stack.pop();
      at++;
    } else {
      const { value, end } = readString(text, at);
      top().push(value);
      at = end;
    }
  }
  return stack[0] ?? [];
}

function readString(text: string, at: number): { value: string; end: number } {
  if (text[at] === '"') {
    const quoted = /"((?:[^"\\]|\\.)*)"?/y;
    quoted.lastIndex = at;
    const value = quoted.exec(text)?.[1] ?? '';
    return { value: value.replace(/\\(.)/g, '$1'), end: quoted.lastIndex };
  }
  const literal = /\{(\d+)\+?\}\r\n/y;
  literal.lastIndex = at;
  const announced = literal.exec(text);
  if (announced !== null) {
    const start = literal.lastIndex;
    const end = start + Number(announced[1]);
    return { value: text.slice(start, end), end };
  }
  // An atom. Sections of FETCH have spaces and lists between their brackets.
  let end = at;
  let depth = 0;
  while (end < text.length && (depth > 0 || !' ()'.includes(text[end] ?? ''))) {
    if (text[end] === '[') depth++;
    if (text[end] === ']') depth--;
    end++;
  }
  return { value: text.slice(at, Math.max(end, at + 1)), end: Math.max(end, at + 1) };
}

/** A string as the server writes it. */
export function quote(value: string | null): string {
  if (value === null) return 'NIL';
  if (/^[\x20-\x7e]*$/.test(value)) return `"${value.replace(/[\\"]/g, '\\$&')}"`;
  const bytes = Buffer.from(value, 'latin1');
  return `{${bytes.length}}\r\n${value}`;
}

/** Whether a set such as `1:4,9,12:*` names the number. `*` is the highest; `9:*` names it even if it is lower. */
export function setReader(set: string, highest: number): (number: number) => boolean {
  const ranges = set.split(',').map((range) => {
    const [from = 0, to = from] = range.split(':').map((end) => (end === '*' ? highest : Number(end)));
    return [Math.min(from, to), Math.max(from, to)] as const;
  });
  return (number) => ranges.some(([from, to]) => number >= from && number <= to);
}
