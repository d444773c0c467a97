import { expect, test } from 'vitest';
import { randomOf } from '../../../test/harness/random.ts';
import { type Earlier, judgeAnswer } from './judge-answer.ts';
import type { Step } from './survey-links.ts';

/** A question as the table has it, and what is sent to it. */
function openQuestion() {
  let earlier: Earlier | null = null;
  let isScanned = false;
  return {
    trap: () => {
      isScanned = true;
    },
    /** @returns the verdict, after which a page that doubts shows a second button */
    post: (given: { score: number; visitor: string; atMs: number; shownAtMs: number; step?: Step }) => {
      const { score, visitor, atMs } = given;
      const verdict = judgeAnswer({ step: 'answer', ...given, isScanned }, earlier);
      if (verdict !== 'ignored') {
        const answeredAtMs = earlier?.answeredAtMs ?? atMs;
        earlier = { score, visitor, answeredAtMs, changedAtMs: atMs, doubt: verdict === 'counts' ? null : verdict };
      }
      return verdict;
    },
    counted: () => (earlier !== null && earlier.doubt === null ? earlier.score : null),
  };
}
type Question = ReturnType<typeof openQuestion>;

const random = randomOf(4_711);
const between = (least: number, most: number) => least + random() * (most - least);
const bestOf = [2, 3, 5];
const anyBest = () => bestOf[Math.floor(random() * bestOf.length)] ?? 5;
let visitors = 0;
const newVisitor = () => `visitor ${++visitors}`;

/** Sends the form of a page, and those of the pages that come back, as a program does: at once. */
function submit(question: Question, score: number, visitor: string, shownAtMs: number, atMs: number): void {
  let [shown, at, step] = [shownAtMs, atMs, 'answer' as Step];
  for (let pages = 0; pages < 3; pages++) {
    const verdict = question.post({ score, visitor, atMs: at, shownAtMs: shown, step });
    if (verdict === 'counts' || verdict === 'ignored') return;
    [shown, at, step] = [at, at + between(20, 900), 'confirm'];
  }
}

const scores = (best: number) => Array.from({ length: best }, (_, index) => index + 1);

/** What programs were seen to do with the links of a mail. */
const scanners: Record<string, (question: Question, best: number) => void> = {
  'Safe Links: opens all, then sends all forms from other machines': (question, best) => {
    question.trap();
    for (const score of scores(best)) submit(question, score, newVisitor(), 0, between(50, 60_000));
  },
  'the same where the mail is plain text, without the hidden link': (question, best) => {
    let at = 0;
    for (const score of scores(best)) {
      at += between(0, 1_500);
      submit(question, score, newVisitor(), at, at + between(30, 1_900));
    }
  },
  'Proofpoint: a whole browser, which waits before it presses each button': (question, best) => {
    if (random() < 0.5) question.trap();
    let at = between(3_000, 6_000);
    for (const score of scores(best)) {
      at += between(0, 8_000);
      submit(question, score, newVisitor(), at - between(2_500, 5_000), at);
    }
  },
  'ten scores in a second, with one jar of cookies': (question, best) => {
    const visitor = newVisitor();
    for (let n = 0; n < 10; n++) submit(question, (n % best) + 1, visitor, 0, 5_000 + n * 100);
  },
  'opens everything, and sends nothing': (question) => question.trap(),
};

test.each(Object.entries(scanners))('none of 10,000 counts: %s', (_name, scan) => {
  let counted = 0;
  for (let n = 0; n < 10_000; n++) {
    const question = openQuestion();
    scan(question, anyBest());
    if (question.counted() !== null) counted++;
  }
  expect(counted).toBe(0);
});

/** Looks at a page, presses the button, and the second one if it is asked. */
function press(question: Question, score: number, visitor: string, from: number): number {
  let [shownAtMs, step] = [from, 'answer' as Step];
  for (let pages = 0; pages < 4; pages++) {
    const atMs = shownAtMs + between(1_200, 40_000);
    const verdict = question.post({ score, visitor, atMs, shownAtMs, step });
    if (verdict === 'counts' || verdict === 'ignored') return atMs;
    [shownAtMs, step] = [atMs, 'confirm'];
  }
  return shownAtMs;
}

test('the answers of people count, also after a program was there', () => {
  let counted = 0;
  for (let n = 0; n < 10_000; n++) {
    const question = openQuestion();
    const best = anyBest();
    const scan = Object.values(scanners)[Math.floor(random() * 8)];
    scan?.(question, best);
    const score = Math.ceil(random() * best);
    const visitor = newVisitor();
    const at = press(question, score, visitor, between(0, 3_600_000));
    // A double click, and a change of mind.
    question.post({ score, visitor, atMs: at + 150, shownAtMs: at - 2_500 });
    const last = random() < 0.1 ? Math.ceil(random() * best) : score;
    if (last !== score) press(question, last, visitor, at + 5_000);
    if (question.counted() === last) counted++;
  }
  expect(counted / 10_000).toBeGreaterThanOrEqual(0.99);
});

const base = { score: 4, visitor: 'a', atMs: 10_000, shownAtMs: 0, step: 'answer', isScanned: false } as const;
const earlier = (more: Partial<Earlier> = {}): Earlier => ({
  ...{ score: 4, visitor: 'a', answeredAtMs: 0, changedAtMs: 0, doubt: null },
  ...more,
});

test('whoever answered may change it for seven days, and nobody else', () => {
  const late = { ...base, atMs: 6 * 86_400_000, score: 1 };
  expect(judgeAnswer(late, earlier())).toBe('counts');
  expect(judgeAnswer({ ...late, visitor: 'b' }, earlier())).toBe('ignored');
  expect(judgeAnswer({ ...late, atMs: 8 * 86_400_000 }, earlier())).toBe('ignored');
});

test('a replay of the same answer changes nothing, another one soon casts doubt', () => {
  expect(judgeAnswer({ ...base, visitor: 'b' }, earlier())).toBe('ignored');
  expect(judgeAnswer({ ...base, visitor: 'b', score: 1 }, earlier())).toBe('contradiction');
});
