import { type Static, Type } from 'typebox';
import { dumpedSchemas } from '../../ground/database/dump-tables.ts';

/**
 * A backup is a folder of points in time, which share their files:
 *
 *     blobs/<workspace>/<first two hex digits>/<hash>[.gz]
 *     points/<time>/manifest.json
 *     points/<time>/tables/<schema>.<table>.zst    rows in PostgreSQL's text format of COPY
 *     points/<time>/blobs.zst                      the files of this point: workspace, tab, name
 *     points/<time>/secrets.age
 *
 * `docs/operations.md` describes it for operators.
 */
const format = 'kontor-backup-1';

/** Names of nothing else: who wrote the folder may be no friend, and a name must not lead out of it. */
const files = {
  table: '^tables/\\w+\\.\\w+\\.zst$',
  blobs: '^blobs\\.zst$',
  secrets: '^secrets\\.age$',
};
const schema = Type.String({ pattern: `^(?:${dumpedSchemas.join('|')})$` });
const identifier = Type.String({ pattern: '^\\w+$' });
const count = Type.Integer({ minimum: 0 });
const partNamed = (pattern: string) =>
  Type.Object({ file: Type.String({ pattern }), bytes: count, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) });
export const manifestSchema = Type.Object({
  format: Type.Literal(format),
  /** The id of the installation of Kontor. Old backups have none. */
  installation: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{36}$' })),
  takenAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  /** The release of Kontor. */
  release: Type.String(),
  /** The migrations that had run, in their order. */
  migrations: Type.Array(Type.String(), { minItems: 1 }),
  tables: Type.Array(
    Type.Object({
      schema,
      name: identifier,
      columns: Type.Array(identifier),
      rows: count,
      part: partNamed(files.table),
    }),
    { minItems: 1 },
  ),
  sequences: Type.Array(
    Type.Object({
      schema,
      name: identifier,
      lastValue: Type.String({ pattern: '^-?\\d{1,19}$' }),
    }),
  ),
  blobs: Type.Object({
    count,
    /** Files that rows name and that the storage had lost already. */
    missing: Type.Array(Type.String()),
    part: partNamed(files.blobs),
  }),
  secrets: Type.Union([partNamed(files.secrets), Type.Null()]),
});

/** A file of a point with its size and its SHA-256, both as stored. */
export type Part = Static<ReturnType<typeof partNamed>>;
export type Manifest = Static<typeof manifestSchema>;

export function newManifest(fields: Omit<Manifest, 'format'>): Manifest {
  return { format, ...fields };
}

/** Whether a folder or a prefix of keys is a point. A disk may have others beside them, such as `lost+found`. */
export function isPointName(name: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/.test(name);
}

/** The name of a point: its time without colons, which some file systems refuse. */
export function pointNameOf(takenAt: Date): string {
  return takenAt.toISOString().replaceAll(':', '-').replace(/Z$/, '');
}

/** Whether a point has a file of this name, relative to its folder. */
export function isPointFile(name: string): boolean {
  return name === 'manifest.json' || Object.values(files).some((pattern) => new RegExp(pattern).test(name));
}
