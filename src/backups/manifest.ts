import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';

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

const part = Type.Object({ file: Type.String(), bytes: Type.Integer(), sha256: Type.String() });
const manifestSchema = Type.Object({
  format: Type.Literal(format),
  takenAt: Type.String(),
  /** The release of Kontor. */
  release: Type.String(),
  /** The migrations that had run, in their order. */
  migrations: Type.Array(Type.String(), { minItems: 1 }),
  tables: Type.Array(
    Type.Object({
      schema: Type.String(),
      name: Type.String(),
      columns: Type.Array(Type.String()),
      rows: Type.Integer(),
      part,
    }),
  ),
  sequences: Type.Array(Type.Object({ schema: Type.String(), name: Type.String(), lastValue: Type.String() })),
  blobs: Type.Object({
    count: Type.Integer(),
    /** Files that rows name and that the storage had lost already. */
    missing: Type.Array(Type.String()),
    part,
  }),
  secrets: Type.Union([part, Type.Null()]),
});

/** A file of a point with its size and its SHA-256, both as stored. */
export type Part = Static<typeof part>;
export type Manifest = Static<typeof manifestSchema>;

export function newManifest(fields: Omit<Manifest, 'format'>): Manifest {
  return { format, ...fields };
}

/** @returns undefined when the text is no manifest of a format that this release reads */
export function readManifest(text: string): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    return Check(manifestSchema, manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}
