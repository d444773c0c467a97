import { RE2JS } from 're2js';

/** A pattern looks at no more of a text. */
const textMax = 20_000;
const patternsMax = 1_000;
/** Steps of a compiled pattern. Time grows with them, and repeats such as `.{999}` make very many. */
const stepsMax = 1_000;
const tooLong = 'too many repeats';
/** Compiling one takes long already. */
const longRepeat = /\{(?:\d{1,9},)?\d{3}/;
const compiled = new Map<string, RE2JS>();

/** Why a text is no pattern of RE2, in the words of its library, or takes too long; undefined for a good one. */
export function patternFault(pattern: string): string | undefined {
  if (longRepeat.test(pattern)) return tooLong;
  try {
    return compile(pattern).programSize() > stepsMax ? tooLong : undefined;
  } catch (error) {
    return (error as Error).message.slice(0, 200);
  }
}

/** Whether a part of the text matches. RE2 takes linear time, whatever the pattern. */
export function hasMatch(pattern: string, text: string): boolean {
  return compile(pattern).matcher(text.slice(0, textMax)).find();
}

function compile(pattern: string): RE2JS {
  let known = compiled.get(pattern);
  if (known === undefined) {
    known = RE2JS.compile(pattern);
    if (compiled.size >= patternsMax) compiled.clear();
    compiled.set(pattern, known);
  }
  return known;
}
