import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import type { Found } from './regular-expressions.ts';

/**
 * Says by which repeated text a regular expression takes more than linear time; undefined when none is known. `scslre`
 * decides without running the expression, for texts that repeat one character. For texts that repeat several, the
 * expression runs on its own beginnings, repeated.
 */
export function slowText({ source, flags }: Pick<Found, 'source' | 'flags'>): string | undefined {
  const [report] = analyse({ source, flags }).reports;
  if (report !== undefined) return `/${report.character.literal.source}/ repeated`;
  const pattern = new RegExp(source, flags);
  const slow = repeatedTexts(source, flags).find((text) => isSlowOn(pattern, text));
  return slow === undefined ? undefined : `${JSON.stringify(slow.unit)} repeated`;
}

type Repeated = { before: string; unit: string };

const charsFew = 8_192;
const charsMany = 32_768;
/** Linear time grows by this factor, quadratic time by its square. */
const times = 4;
const growthMax = 8;
/** Quadratic time is longer: for few characters, for many, and for fewer than 32 repetitions if it is exponential. */
const suspectMs = { few: 1, many: 15, exponential: 20 };
/** Linear time is a tenth of this, even with hundreds of alternatives. */
const surelySlowMs = 400;

function isSlowOn(pattern: RegExp, text: Repeated): boolean {
  const wall = (chars: number) => timesOf(pattern, textOf(text, chars)).wallMs;
  const processor = (chars: number) => timesOf(pattern, textOf(text, chars)).processorMs;
  // Exponential time would never end on a long text.
  for (let units = 8; units < 32; units++) {
    const chars = units * text.unit.length;
    if (wall(chars) > suspectMs.exponential && processor(chars) > suspectMs.exponential / 2) return true;
  }
  if (wall(charsFew) < suspectMs.few) return false;
  // Other work on this machine does not count from here on: only time of the processor does.
  const many = processor(charsMany);
  if (many < suspectMs.many) return false;
  return many > surelySlowMs || processor(charsMany * times) > growthMax * processor(charsMany);
}

function textOf({ before, unit }: Repeated, chars: number): string {
  return `${before}${unit.repeat(Math.ceil(chars / unit.length))}\0`;
}

function timesOf(pattern: RegExp, text: string): { wallMs: number; processorMs: number } {
  const [wall, processor] = [performance.now(), process.threadCpuUsage()];
  if (pattern.global) text.replace(pattern, '');
  else pattern.test(text);
  pattern.lastIndex = 0;
  const { user, system } = process.threadCpuUsage(processor);
  return { wallMs: performance.now() - wall, processorMs: (user + system) / 1_000 };
}

/** The beginnings of each part of the expression, repeated, with an end that does not match. */
function repeatedTexts(source: string, flags: string): Repeated[] {
  const unicode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, unicode);
  const found = new Map<string, Repeated>();
  const add = (before: string, unit: string): void => {
    // `^` may stand for the beginning of each line.
    const units = flags.includes('m') ? [unit, `\r${unit}`, `\n${unit}`] : [unit];
    for (const each of units) if (each.length > 1) found.set(`${before} ${each}`, { before, unit: each });
  };
  const visit = (alternative: AST.Alternative, before: string): void => {
    let begun = '';
    for (const element of alternative.elements) {
      for (const inner of alternativesOf(element)) visit(inner, before + begun);
      const samples = samplesOf(element, flags);
      if (element.type !== 'Character')
        for (const sample of samples) for (const unit of [begun + sample, sample]) add(before, unit);
      begun += samples.at(-1) ?? '';
    }
    add(before, begun);
  };
  for (const alternative of alternatives) visit(alternative, '');
  return [...found.values()];
}

function alternativesOf(element: AST.Element): AST.Alternative[] {
  if (element.type === 'Quantifier') return alternativesOf(element.element);
  return element.type === 'Group' || element.type === 'CapturingGroup' ? element.alternatives : [];
}

const samplesMax = 4;
const usualChars = [...'a0 <>"\'=/@.:;,()[]-+*#&?!|_A\n\té…'];

/** Texts that a part of the expression matches, the longest last. */
function samplesOf(element: AST.Element, flags: string): string[] {
  switch (element.type) {
    case 'Character':
      return [String.fromCodePoint(element.value)];
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass': {
      const one = new RegExp(`^${element.raw}$`, flags.replace(/[gy]/g, ''));
      return usualChars.filter((char) => one.test(char)).slice(0, 2);
    }
    case 'Quantifier': {
      const once = samplesOf(element.element, flags).slice(-2);
      const least = once.map((sample) => sample.repeat(Math.max(1, Math.min(element.min, 8))));
      return element.min === 0 ? ['', ...least] : least;
    }
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives
        .map(({ elements }) => elements.map((inner) => samplesOf(inner, flags).at(-1) ?? '').join(''))
        .slice(0, samplesMax);
    default:
      return [''];
  }
}
