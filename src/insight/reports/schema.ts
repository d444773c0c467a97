import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, timeToCountFrom } from '../../ground/http/schema.ts';
import { filterSchemas } from '../../inbox/lists/schema.ts';

export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];
export const clocks = ['calendar', 'business'] as const;
export type ReportClock = (typeof clocks)[number];
export const groupings = ['mailbox', 'team', 'member', 'tag', 'priority', 'channel'] as const;
export type Grouping = (typeof groupings)[number];

const {
  ids: _ids,
  unread: _unread,
  following: _following,
  mentioned: _mentioned,
  happened: _happened,
  ...filters
} = filterSchemas;

const range = {
  from: timeToCountFrom,
  to: { ...timeToCountFrom, description: 'Not included.' },
  timeZone: Type.Optional(
    Type.String({ maxLength: 64, description: 'An IANA time zone, in which days begin.', default: 'UTC' }),
  ),
  clock: Type.Optional(
    oneOf(clocks, { description: '`business` counts only the hours of the calendar that the settings name.' }),
  ),
};

export const overviewQuery = Type.Object({
  ...range,
  interval: oneOf(intervals),
  ...filters,
});
export type OverviewQuery = Type.Static<typeof overviewQuery>;

export const groupsQuery = Type.Object({ ...range, by: oneOf(groupings), ...filters });
export type GroupsQuery = Type.Static<typeof groupsQuery>;

export const ticketsQuery = Type.Object({ ...range, ...filters });
export type TicketsQuery = Type.Static<typeof ticketsQuery>;

/** What is asked of every report. */
export type ReportQuery = TicketsQuery;

const count = Type.Integer({ minimum: 0 });
const seconds = nullable(Type.Integer({ minimum: 0, description: 'Null: nothing was measured.' }));
const durations = Type.Object(
  {
    count: Type.Integer({ description: 'How many were measured.' }),
    tickets: Type.Integer({ description: 'In how many tickets.' }),
    mean: seconds,
    median: seconds,
    p90: seconds,
  },
  { description: 'Seconds.' },
);
export type Durations = Type.Static<typeof durations>;

const figures = {
  created: count,
  firstResponse: durations,
  response: durations,
  resolution: durations,
  reopened: count,
  oneTouch: Type.Integer({ description: 'Of the resolved ones, those that one answer resolved.' }),
};
const figuresSchema = Type.Object(figures);
export type Figures = Type.Static<typeof figuresSchema>;

const freshness = {
  isComplete: Type.Boolean({ description: 'False while older tickets are still being read.' }),
};

export const overviewSchema = Type.Object({
  ...freshness,
  figures: figuresSchema,
  before: Type.Object(figures, { description: 'The same of the span of the same length before.' }),
  backlog: Type.Integer({ description: 'Tickets that are not closed now.' }),
  series: Type.Array(
    Type.Object({
      at: timestamp,
      ...figures,
      backlog: Type.Integer({ description: 'Tickets that were not closed at the end of the interval.' }),
    }),
  ),
});
export type Overview = Type.Static<typeof overviewSchema>;

export const groupsSchema = Type.Object({
  ...freshness,
  groups: Type.Array(
    Type.Object({
      key: nullable(Type.String({ description: 'An id, or a name of a tag, priority or channel. Null: none.' })),
      name: nullable(Type.String()),
      ...figures,
    }),
    { description: 'Those with the most, 50 at most.' },
  ),
});
export type Groups = Type.Static<typeof groupsSchema>;

export const ratingsGroupings = ['member', 'team', 'mailbox'] as const;
export type RatingsBy = (typeof ratingsGroupings)[number];
export const satisfactionQuery = Type.Object({
  ...range,
  interval: oneOf(intervals),
  by: Type.Optional(oneOf(ratingsGroupings, { description: 'Whose figures `groups` has. Without it, none.' })),
  ...filters,
});

const ratings = {
  asked: Type.Integer({ description: 'Mails that asked a customer, and left.' }),
  answered: Type.Integer({ description: 'Answers that count.' }),
  good: Type.Integer({ description: 'Of these, answers of satisfied customers.' }),
  doubtful: Type.Integer({ description: 'Answers that do not count, because a program may have given them.' }),
};
const ratingsSchema = Type.Object(ratings);
export type Ratings = Type.Static<typeof ratingsSchema>;

export const satisfactionSchema = Type.Object({
  figures: ratingsSchema,
  before: Type.Object(ratings, { description: 'The same of the span of the same length before.' }),
  series: Type.Array(Type.Object({ at: timestamp, ...ratings })),
  groups: Type.Array(
    Type.Object({
      key: nullable(Type.String({ description: 'An id. Null: none.' })),
      name: nullable(Type.String()),
      ...ratings,
    }),
    { description: 'Those with the most answers, 50 at most.' },
  ),
});
export type Satisfaction = Type.Static<typeof satisfactionSchema>;

export const reportSettingsSchema = Type.Object({
  calendarId: nullable(ids.calendar),
  showsMembers: Type.Boolean({ description: 'Whether reports compare members.' }),
});
export const updateReportSettingsBody = Type.Partial(reportSettingsSchema);
export type ReportSettings = Type.Static<typeof reportSettingsSchema>;
