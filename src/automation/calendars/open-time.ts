import { Temporal } from 'temporal-polyfill';

/** Wall times: `open` from 00:00 to 23:59, `close` later that day, at most 24:00. */
export type Span = { open: string; close: string };

/** The part of a calendar that says when it is open. Nobody changes such an object, because its spans are kept. */
export type OpeningHours = {
  /** A name of the time zone database. */
  timeZone: string;
  /** Each week, from Monday (1) to Sunday (7). */
  hours: readonly (Span & { day: number })[];
  /** Dates with hours of their own, which replace those of the week. Null: closed. */
  days: readonly { date: string; hours: readonly Span[] | null }[];
};

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** `add` and `stateAt` look no further. */
export const addDaysMax = 3_660;
export const openingDaysMax = 366;

/** How many ms of the time between two instants are open. Instants are ms since 1970. */
export function between(calendar: OpeningHours, from: number, to: number): number {
  let open = 0;
  for (const span of openSpans(calendar, from, to)) open += span.to - span.from;
  return open;
}

/**
 * The first instant until which the calendar has been open for `ms` since `from`. Undefined for one that is not open
 * that long within ten years.
 */
export function add(calendar: OpeningHours, from: number, ms: number): number | undefined {
  if (ms <= 0) return from;
  let left = ms;
  for (const span of openSpans(calendar, from, from + addDaysMax * dayMs)) {
    if (left <= span.to - span.from) return span.from + left;
    left -= span.to - span.from;
  }
  return undefined;
}

export function isOpen(calendar: OpeningHours, at: number): boolean {
  return opensWithin(calendar, at, 1);
}

/** Whether the calendar is open now, and when that ends. `until` is undefined for more than a year. */
export function stateAt(calendar: OpeningHours, at: number): { isOpen: boolean; until: number | undefined } {
  let end = at;
  for (const span of openSpans(calendar, at, at + openingDaysMax * dayMs)) {
    if (span.from > end) return end === at ? { isOpen: false, until: span.from } : { isOpen: true, until: end };
    end = span.to;
  }
  return { isOpen: end > at, until: undefined };
}

/** Whether the calendar is open at any time of the `ms` from `from` on: by default, of the next 366 days. */
export function opensWithin(calendar: OpeningHours, from: number, ms = openingDaysMax * dayMs): boolean {
  return openSpans(calendar, from, from + ms).next().done === false;
}

type Instants = { from: number; to: number };

/** The open times from one instant to another, in their order, without overlaps. */
function* openSpans(calendar: OpeningHours, from: number, to: number): Generator<Instants, void> {
  const opened = openedOf(calendar);
  let number = Math.floor(from / (blockDays * dayMs));
  // A block begins at the midnight of its zone.
  if (from < blockOf(opened, number).from) number -= 1;
  else if (from >= blockOf(opened, number).to) number += 1;
  for (; ; number += 1) {
    const block = blockOf(opened, number);
    if (block.from >= to) return;
    for (const span of block.spans) {
      if (span.to <= from) continue;
      if (span.from >= to) return;
      yield { from: Math.max(span.from, from), to: Math.min(span.to, to) };
    }
  }
}

/** The open times of some days one after another. Blocks make it cheap to find the day of an instant. */
type Block = Instants & { spans: Instants[] };
const blockDays = 32;
/** More than `add` looks at. */
const blocksMax = 200;

type Opened = { timeZone: string; week: Walls[]; days: Map<number, Walls>; blocks: Map<number, Block> };
/** From one wall time to another, in ms since midnight. */
type Walls = Instants[];

const known = new WeakMap<OpeningHours, Opened>();

function openedOf(calendar: OpeningHours): Opened {
  let opened = known.get(calendar);
  if (opened === undefined) {
    const { timeZone, hours, days } = calendar;
    opened = {
      timeZone,
      week: [1, 2, 3, 4, 5, 6, 7].map((day) => wallsOf(hours.filter((span) => span.day === day))),
      days: new Map(days.map(({ date, hours: own }) => [Date.parse(date) / dayMs, wallsOf(own ?? [])])),
      blocks: new Map(),
    };
    known.set(calendar, opened);
  }
  return opened;
}

function wallsOf(spans: readonly Span[]): Walls {
  return spans.map(({ open, close }) => ({ from: wallOf(open), to: wallOf(close) }));
}

function wallOf(time: string): number {
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs;
}

function blockOf(opened: Opened, number: number): Block {
  let block = opened.blocks.get(number);
  if (block === undefined) {
    block = makeBlock(opened, number * blockDays);
    if (opened.blocks.size >= blocksMax) opened.blocks.clear();
    opened.blocks.set(number, block);
  }
  return block;
}

/** Where a zone skips time, days overlap: so the days around are mapped too, and all is merged and cut to the block. */
function makeBlock({ timeZone, week, days }: Opened, firstDay: number): Block {
  const endDay = firstDay + blockDays;
  const instantOf = instantsOf(timeZone, (firstDay - 2) * dayMs, (endDay + 2) * dayMs);
  const mapped: Instants[] = [];
  for (let day = firstDay - 2; day < endDay + 2; day += 1) {
    for (const wall of days.get(day) ?? week[weekdayOf(day)] ?? []) {
      const span = { from: instantOf(day * dayMs + wall.from), to: instantOf(day * dayMs + wall.to) };
      if (span.from < span.to) mapped.push(span);
    }
  }
  const from = instantOf(firstDay * dayMs);
  const to = instantOf(endDay * dayMs);
  const spans = merged(mapped)
    .map((span) => ({ from: Math.max(span.from, from), to: Math.min(span.to, to) }))
    .filter((span) => span.from < span.to);
  return { from, to, spans };
}

/** From 0 for Monday. 1970 began with a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function merged(spans: Instants[]): Instants[] {
  const joined: Instants[] = [];
  for (const span of spans.sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else joined.push(span);
  }
  return joined;
}

/**
 * The function from wall times, written as if they were UTC, to their instants. A wall time that a zone skips means
 * as much later as was skipped, and of one that it has twice the first.
 */
function instantsOf(timeZone: string, firstWall: number, lastWall: number): (wall: number) => number {
  const before = zonedAt(timeZone, firstWall - 2 * dayMs);
  const change = before.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
  const offset = before.offsetNanoseconds / 1e6;
  // Without a change near these days, no calendar arithmetic is needed.
  if (change > lastWall + 2 * dayMs) return (wall) => wall - offset;
  return (wall) =>
    zonedAt('UTC', wall).toPlainDateTime().toZonedDateTime(timeZone, { disambiguation: 'compatible' })
      .epochMilliseconds;
}

function zonedAt(timeZone: string, instant: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
}
