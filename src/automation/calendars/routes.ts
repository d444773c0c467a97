import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { etagOf, ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { createCalendar, deleteCalendar, updateCalendar } from './keep-calendar.ts';
import { add, addDaysMax, between, stateAt } from './open-time.ts';
import { getCalendar, listCalendars } from './queries.ts';
import {
  addQuery,
  addSchema,
  betweenQuery,
  betweenSchema,
  type Calendar,
  type CalendarAnswer,
  calendarParams,
  calendarSchema,
  createCalendarBody,
  holidayCountriesQuery,
  holidayCountriesSchema,
  holidaysQuery,
  holidaysSchema,
  updateCalendarBody,
} from './schema.ts';

const workspace = inWorkspace('calendars');

export function calendarRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  changeRoutes(server);
  arithmeticRoutes(server, app);
  holidayRoutes(server, app);
}

function readRoutes(server: Server, { db, clock }: App): void {
  workspace.get(server, '/calendars', {
    id: 'listCalendars',
    summary: 'List the calendars of business hours by their names',
    can: 'ticket.read',
    answers: { 200: Type.Array(calendarSchema) },
    handler: async ({ actor }) =>
      (await listCalendars(db, actor.workspaceId)).map((calendar) => present(calendar, clock.now())),
  });

  workspace.get(server, '/calendars/:calendarId', {
    id: 'readCalendar',
    summary: 'Read a calendar of business hours',
    can: 'ticket.read',
    errors: ['calendar.not_found'],
    params: calendarParams,
    answers: { 200: calendarSchema },
    handler: async ({ actor, params }, reply) => {
      const calendar = await getCalendar(db, actor.workspaceId, params.calendarId);
      reply.header('etag', etagOf(calendar.version));
      return present(calendar, clock.now());
    },
  });
}

function changeRoutes(server: Server): void {
  workspace.post(server, '/calendars', {
    id: 'createCalendar',
    summary: 'Make a calendar of business hours',
    can: 'rule.manage',
    errors: ['calendar.name_taken', 'calendar.too_many'],
    body: createCalendarBody,
    answers: { 201: calendarSchema },
    inTx: async (tx, { actor, body }) => {
      const created = await createCalendar(tx, actor, body);
      return answer(present(created, tx.now), { etag: created.version });
    },
  });

  workspace.patch(server, '/calendars/:calendarId', {
    id: 'updateCalendar',
    summary: 'Change a calendar of business hours',
    description: 'New `hours` or `days` replace all of them.',
    can: 'rule.manage',
    errors: ['calendar.not_found', 'calendar.name_taken', 'calendar.version_mismatch'],
    params: calendarParams,
    body: updateCalendarBody,
    answers: { 200: calendarSchema },
    inTx: async (tx, request) => {
      const { actor, params, body } = request;
      const input = { ...body, calendarId: params.calendarId, ifMatch: ifMatchOf(request) };
      const changed = await updateCalendar(tx, actor, input);
      return answer(present(changed, tx.now), { etag: changed.version });
    },
  });

  workspace.delete(server, '/calendars/:calendarId', {
    id: 'deleteCalendar',
    summary: 'Delete a calendar of business hours',
    can: 'rule.manage',
    errors: ['calendar.not_found', 'in_use'],
    params: calendarParams,
    answers: { 204: Type.Null({ description: 'The calendar is deleted.' }) },
    inTx: (tx, { actor, params }) => deleteCalendar(tx, actor, params.calendarId),
  });
}

const dayMs = 86_400_000;

function arithmeticRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/calendars/:calendarId/between', {
    id: 'countOpenTime',
    summary: 'Count the open time between two moments',
    can: 'ticket.read',
    errors: ['calendar.not_found'],
    params: calendarParams,
    query: betweenQuery,
    answers: { 200: betweenSchema },
    handler: async ({ actor, params, query }) => {
      const [from, to] = [Date.parse(query.from), Date.parse(query.to)];
      if (to < from) throw invalidRequest({ path: 'query.to', key: 'before_from' });
      if (to - from > addDaysMax * dayMs)
        throw invalidRequest({ path: 'query.to', key: 'too_long_after', params: { days: addDaysMax } });
      return { seconds: between(await getCalendar(db, actor.workspaceId, params.calendarId), from, to) / 1_000 };
    },
  });

  workspace.get(server, '/calendars/:calendarId/add', {
    id: 'addOpenTime',
    summary: 'Add open time to a moment',
    description: 'The first moment until which the calendar has been open for so long.',
    can: 'ticket.read',
    errors: ['calendar.not_found'],
    params: calendarParams,
    query: addQuery,
    answers: { 200: addSchema },
    handler: async ({ actor, params, query: { from, seconds } }) => {
      const calendar = await getCalendar(db, actor.workspaceId, params.calendarId);
      return { at: timeOf(add(calendar, Date.parse(from), seconds * 1_000)) };
    },
  });
}

function holidayRoutes(server: Server, { holidays }: App): void {
  workspace.get(server, '/calendars/holidays', {
    id: 'listHolidays',
    summary: 'Propose the public holidays of a country or region',
    description: 'Holidays of half a day are left out.',
    can: 'ticket.read',
    query: holidaysQuery,
    answers: { 200: holidaysSchema },
    handler: ({ query: { language = 'en', ...wanted } }) => holidays.of({ ...wanted, language }),
  });

  workspace.get(server, '/calendars/holiday-countries', {
    id: 'listHolidayCountries',
    summary: 'List the countries and regions whose public holidays are known',
    can: 'ticket.read',
    query: holidayCountriesQuery,
    answers: { 200: holidayCountriesSchema },
    handler: ({ query: { language = 'en' } }) => holidays.countries(language),
  });
}

function present(calendar: Calendar, now: Date): CalendarAnswer {
  const { isOpen, until } = stateAt(calendar, now.getTime());
  return { ...calendar, isOpen, changesAt: timeOf(until) };
}

function timeOf(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString();
}
