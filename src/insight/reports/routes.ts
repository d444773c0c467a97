import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { bytes } from '../../helpdesk/files/schema.ts';
import { asDownload } from '../../helpdesk/files/send-file.ts';
import { prepare } from './asked.ts';
import { updateReportSettings } from './change-settings.ts';
import { groupsCsv, overviewCsv } from './csv.ts';
import { readGroups } from './groups.ts';
import { readOverview } from './overview.ts';
import { readSatisfaction } from './satisfaction.ts';
import {
  groupsQuery,
  groupsSchema,
  overviewQuery,
  overviewSchema,
  reportSettingsSchema,
  satisfactionQuery,
  satisfactionSchema,
  ticketsQuery,
  updateReportSettingsBody,
} from './schema.ts';
import { readReportSettings } from './settings.ts';
import { ticketsCsv } from './tickets-csv.ts';

const workspace = inWorkspace('reports');
const csvType = 'text/csv; charset=utf-8';
const tooWide = ['report.too_wide'] as const;
const tooLong = [...tooWide, 'report.too_fine'] as const;

export function reportRoutes(server: Server, app: App): void {
  figureRoutes(server, app);
  satisfactionRoute(server, app);
  csvRoutes(server, app);
  settingsRoutes(server, app);
}

function figureRoutes(server: Server, { db, clock }: App): void {
  workspace.get(server, '/reports/overview', {
    id: 'readReportOverview',
    summary: 'Read the figures of a time, of the time before it, and of each interval',
    description:
      'What happened within the time counts, whenever its ticket was created. [docs/reports.md](reports.md) defines ' +
      'each figure.',
    can: 'report.read',
    errors: [...tooLong],
    query: overviewQuery,
    answers: { 200: overviewSchema },
    handler: async ({ actor, query }) => readOverview(db, await prepare(db, actor, query, clock.now()), query.interval),
  });

  workspace.get(server, '/reports/groups', {
    id: 'readReportGroups',
    summary: 'Read the figures of each mailbox, team, member, tag, priority or channel',
    description: 'Of members, an agent sees the own figures, and a lead those of the team.',
    can: 'report.read',
    errors: [...tooWide, 'report.members_not_shown'],
    query: groupsQuery,
    answers: { 200: groupsSchema },
    handler: async ({ actor, query }) => readGroups(db, actor, await prepare(db, actor, query, clock.now()), query.by),
  });
}

function satisfactionRoute(server: Server, { db, clock }: App): void {
  workspace.get(server, '/reports/satisfaction', {
    id: 'readReportSatisfaction',
    summary: 'Read how satisfied customers were in a time, in the time before it, and in each interval',
    description: 'Of members, an agent sees the own figures, and a lead those of the team.',
    can: 'report.read',
    errors: [...tooWide, 'report.members_not_shown'],
    query: satisfactionQuery,
    answers: { 200: satisfactionSchema },
    handler: async ({ actor, query }) => {
      const { by, ...overview } = query;
      return readSatisfaction(db, actor, await prepare(db, actor, overview, clock.now()), { ...overview, by });
    },
  });
}

function csvRoutes(server: Server, { db, clock }: App): void {
  workspace.get(server, '/reports/overview.csv', {
    id: 'downloadReportOverview',
    summary: 'Download the figures of each interval as CSV',
    can: 'report.read',
    errors: [...tooLong],
    query: overviewQuery,
    answers: { 200: bytes('CSV, RFC 4180.', 'text/csv') },
    handler: async ({ actor, query }, reply) => {
      const overview = await readOverview(db, await prepare(db, actor, query, clock.now()), query.interval);
      return asCsv(reply, 'overview').send(overviewCsv(overview));
    },
  });

  workspace.get(server, '/reports/groups.csv', {
    id: 'downloadReportGroups',
    summary: 'Download the figures of each mailbox, team, member, tag, priority or channel as CSV',
    can: 'report.read',
    errors: [...tooWide, 'report.members_not_shown'],
    query: groupsQuery,
    answers: { 200: bytes('CSV, RFC 4180.', 'text/csv') },
    handler: async ({ actor, query }, reply) => {
      const groups = await readGroups(db, actor, await prepare(db, actor, query, clock.now()), query.by);
      return asCsv(reply, query.by).send(groupsCsv(groups, query.by));
    },
  });

  workspace.get(server, '/reports/tickets.csv', {
    id: 'downloadReportTickets',
    summary: 'Download a line for each ticket that was created in the time as CSV',
    can: 'report.read',
    errors: [...tooWide],
    query: ticketsQuery,
    answers: { 200: bytes('CSV, RFC 4180.', 'text/csv') },
    handler: async ({ actor, query }, reply) => {
      const asked = await prepare(db, actor, query, clock.now());
      return asCsv(reply, 'tickets').send(Readable.from(ticketsCsv(db, asked)));
    },
  });
}

function asCsv(reply: FastifyReply, name: string): FastifyReply {
  return asDownload(reply, { fileName: `${name}.csv`, contentType: 'text/csv' }).type(csvType);
}

function settingsRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/reports/settings', {
    id: 'readReportSettings',
    summary: 'Read by which calendar time counts, and whether reports compare members',
    can: 'report.read',
    answers: { 200: reportSettingsSchema },
    handler: ({ actor }) => readReportSettings(db, actor.workspaceId),
  });

  workspace.patch(server, '/reports/settings', {
    id: 'updateReportSettings',
    summary: 'Change by which calendar time counts, and whether reports compare members',
    description: 'The next report counts all tickets anew by another calendar, which takes a while.',
    can: 'workspace.manage',
    body: updateReportSettingsBody,
    answers: { 200: reportSettingsSchema },
    inTx: (tx, { actor, body }) => updateReportSettings(tx, actor, body),
  });
}
