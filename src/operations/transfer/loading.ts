import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Db } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { RecordFile } from './format.ts';
import type { IdsHere } from './ids-here.ts';
import type { ProblemList } from './problems.ts';
import type { ContentsSource } from './take-contents.ts';

/** The progress of an import, by file of records. */
export type LoadTotals = Record<RecordFile, { new: number; updated: number; known: number }>;

export type LoadOptions = {
  /** The workspace to load into. By default the export's own workspace, which the import creates if it is missing. */
  workspaceId: WorkspaceId | undefined;
  getsNewNumbers: boolean;
  /** On abort, the import finishes the records under way and begins no more. */
  signal: AbortSignal;
  onProgress: (totals: LoadTotals) => void;
};

export type Loaded = { workspaceId: WorkspaceId; totals: LoadTotals; problems: ProblemList };

/** The state that the steps of an import share. */
export type Loading = Omit<LoadOptions, 'workspaceId'> & {
  db: Db;
  blobs: Blobs;
  contents: ContentsSource;
  workspaceId: WorkspaceId;
  ids: IdsHere;
  /** Contacts of persons who were erased here, and not where the export comes from. */
  erased: Set<string>;
  totals: LoadTotals;
  problems: ProblemList;
};
