import { accountTables } from './account-tables.ts';
import { contactTables } from './contact-tables.ts';
import { eventTables } from './event-tables.ts';
import { mailboxTables } from './mailbox-tables.ts';
import { messageTables } from './message-tables.ts';
import { operationTables } from './operation-tables.ts';
import type { Column, Table } from './table.ts';
import { ticketTables } from './ticket-tables.ts';
import { workspaceTables } from './workspace-tables.ts';

/** Every table. `tickets` comes first: on a cluster, the other tables of a workspace are put where its rows are. */
const described = {
  ...ticketTables,
  ...messageTables,
  ...eventTables,
  ...contactTables,
  ...workspaceTables,
  ...mailboxTables,
  ...accountTables,
  ...operationTables,
};

export type TableName = keyof typeof described;
export const tables: Readonly<Record<TableName, Table>> = described;
export const tableNames = Object.keys(described) as TableName[];

/** The columns that an export carries. */
export function carriedOf(table: TableName): string[] {
  return columnsWhere(table, ({ exported }) => exported === undefined || exported === 'once');
}

/** The columns that the API shows of a row. */
export function shownOf(table: TableName): string[] {
  return columnsWhere(table, ({ exported, isInner }) => exported !== 'by place' && isInner !== true);
}

/** The name of a column in answers and exports. */
export function wireName(column: string): string {
  return column.replace(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase());
}

/** The columns that an import writes. */
export function importedOf(table: TableName): string[] {
  return columnsWhere(table, ({ exported }) => exported === undefined || exported === 'once' || exported === 'derived');
}

/** The columns that a later import of a record replaces. */
export function replacedOf(table: TableName): string[] {
  return columnsWhere(table, ({ exported }) => exported === undefined || exported === 'derived');
}

export type ScrubKind = 'text' | 'html' | 'json' | 'addresses';
const scrubKinds: readonly string[] = ['text', 'html', 'json', 'addresses'] satisfies ScrubKind[];

/** The columns from which an erasure takes addresses and names, each with the way to do it. */
export function scrubbedOf(table: TableName): Map<string, ScrubKind> {
  const named = columnsWhere(table, ({ personal = '' }) => scrubKinds.includes(personal));
  return new Map(named.map((name) => [name, tables[table].columns[name]?.personal as ScrubKind]));
}

/** The columns whose text an erasure forgets. */
export function forgottenOf(table: TableName): string[] {
  return columnsWhere(table, ({ personal }) => personal === 'forget');
}

/** The texts that a redaction takes away: what people wrote. */
export function redactedOf(table: TableName): string[] {
  return columnsWhere(
    table,
    ({ personal = '', isOfStub }) => isOfStub !== true && ['text', 'html', 'json', 'forget'].includes(personal),
  );
}

function columnsWhere(table: TableName, isWanted: (column: Column) => boolean): string[] {
  return Object.entries(tables[table].columns).flatMap(([name, column]) => (isWanted(column) ? [name] : []));
}
