import type { TablePlace } from '../catalog/tables/table.ts';
import { tableNames, tables } from '../catalog/tables/tables.ts';

const namesOf = (place: TablePlace): readonly string[] => tableNames.filter((name) => tables[name].place === place);

/** `tickets` comes first: the other tables are put where its rows are. */
export const workspaceTables = namesOf('workspace');
export const copiedTables = namesOf('copied');
export const coordinatorTables = namesOf('coordinator');
