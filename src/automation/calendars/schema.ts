import { Type } from 'typebox';
import { ids, nullable, timestamp, trimmedText } from '../../ground/http/schema.ts';

export const calendarsMax = 50;
export const calendarNameMax = 100;
export const calendarDaysMax = 1_000;
/** A day takes this many, and a week seven times as many. */
const spansMax = 12;

export const wallTime = Type.String({ pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM.' });
export const closingTime = Type.String({
  pattern: '^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
  description: 'HH:MM, later than `open`. Midnight is 24:00, and what goes on after it is a span of the next day.',
});
const span = { open: wallTime, close: closingTime };

export const weekHours = Type.Array(
  Type.Object({ day: Type.Integer({ minimum: 1, maximum: 7, description: 'Monday is 1.' }), ...span }),
  { maxItems: 7 * spansMax, description: 'When it is open each week. No two spans of a day overlap.' },
);
export const specialDays = Type.Array(
  Type.Object({
    date: Type.String({ format: 'date' }),
    name: trimmedText(0, calendarNameMax),
    hours: nullable(Type.Array(Type.Object(span), { maxItems: spansMax, description: 'Null: closed.' })),
  }),
  { maxItems: calendarDaysMax, description: 'Dates whose hours replace those of the week, such as holidays.' },
);
const timeZone = Type.String({ minLength: 1, maxLength: 60, description: 'A name of the time zone database (IANA).' });

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
export type CalendarAnswer = Type.Static<typeof calendarSchema>;
/** A calendar as it is stored. */
export type Calendar = Omit<CalendarAnswer, 'isOpen' | 'changesAt'>;

export const calendarParams = Type.Object({ workspaceId: ids.workspace, calendarId: ids.calendar });

export const createCalendarBody = Type.Object({
  name: trimmedText(1, calendarNameMax),
  timeZone,
  hours: weekHours,
  days: Type.Optional(specialDays),
});
export type CalendarInput = Type.Static<typeof createCalendarBody>;
export const updateCalendarBody = Type.Partial(createCalendarBody);
