import { type Static, Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, timeToCountFrom, trimmedText } from '../../ground/http/schema.ts';

export const calendarsMax = 50;
export const calendarNameMax = 100;
export const calendarDaysMax = 1_000;
/** A day takes this many, and a week seven times as many. */
const spansMax = 12;

const wallTime = Type.String({
  pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'HH:MM.',
  examples: ['09:00'],
});
const closingTime = Type.String({
  pattern: '^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
  description: 'HH:MM, later than `open`. Midnight is 24:00, and what goes on after it is a span of the next day.',
  examples: ['17:00'],
});
const span = { open: wallTime, close: closingTime };

export const weekHours = Type.Array(
  Type.Object({ day: Type.Integer({ minimum: 1, maximum: 7, description: 'Monday is 1.' }), ...span }),
  { maxItems: 7 * spansMax, description: 'When it is open each week. No two spans of a day overlap.' },
);
export const specialDays = Type.Array(
  Type.Object({
    date: Type.String({ format: 'date', pattern: '^(?:19|2[01])' }),
    name: trimmedText(0, calendarNameMax),
    hours: nullable(Type.Array(Type.Object(span), { maxItems: spansMax, description: 'Null: closed.' })),
  }),
  { maxItems: calendarDaysMax, description: 'Dates whose hours replace those of the week, such as holidays.' },
);
const timeZone = Type.String({
  pattern: '^[A-Za-z]',
  maxLength: 60,
  description: 'A name of the time zone database (IANA).',
  examples: ['Europe/Berlin'],
});

export const calendarSchema = Type.Object({
  id: ids.calendar,
  name: Type.String(),
  timeZone,
  hours: weekHours,
  days: specialDays,
  isOpen: Type.Boolean({ description: 'Whether it is open now.' }),
  changesAt: nullable({ ...timestamp, description: 'When it closes or opens next. Null: not within a year.' }),
  version: Type.Integer(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type CalendarAnswer = Static<typeof calendarSchema>;
/** A calendar as it is stored. */
export type Calendar = Omit<CalendarAnswer, 'isOpen' | 'changesAt'>;

export const calendarParams = Type.Object({ workspaceId: ids.workspace, calendarId: ids.calendar });

export const createCalendarBody = Type.Object({
  name: trimmedText(1, calendarNameMax),
  timeZone,
  hours: weekHours,
  days: Type.Optional(specialDays),
});
export type CalendarInput = Static<typeof createCalendarBody>;
export const updateCalendarBody = Type.Partial(createCalendarBody);
export type CalendarChange = Static<typeof updateCalendarBody>;

/** As `addDaysMax` says. */
const tenYears = '10 years';
export const betweenQuery = Type.Object({
  from: timeToCountFrom,
  to: { ...timeToCountFrom, description: `Not before \`from\`, and at most ${tenYears} after it.` },
});
export const betweenSchema = Type.Object({ seconds: Type.Number({ description: 'Of open time, exact to ms.' }) });
export const addQuery = Type.Object({
  from: timeToCountFrom,
  seconds: Type.Integer({ minimum: 0, maximum: 31_622_400, description: 'Of open time: at most 366 days.' }),
});
export const addSchema = Type.Object({
  at: nullable({ ...timestamp, description: `Null: the calendar is not open that long within ${tenYears}.` }),
});

const country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1.', examples: ['DE'] });
const region = Type.String({ maxLength: 20, description: 'A part of the country.', examples: ['BY'] });
const language = Type.Optional(oneOf(['en', 'de'], { description: 'Of the names, where they are known in it.' }));
export const holidaysQuery = Type.Object({
  country,
  region: Type.Optional(region),
  year: Type.Integer({ minimum: 1970, maximum: 2199 }),
  language,
});
export const holidaysSchema = Type.Array(Type.Object({ date: Type.String({ format: 'date' }), name: Type.String() }));
export type Holiday = Static<typeof holidaysSchema>[number];
export const holidayCountriesQuery = Type.Object({ language });
export const holidayCountriesSchema = Type.Array(
  Type.Object({
    country,
    name: Type.String(),
    regions: Type.Array(Type.Object({ region, name: Type.String() })),
  }),
);
export type HolidayCountry = Static<typeof holidayCountriesSchema>[number];
