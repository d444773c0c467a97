import { StartError } from '../lib/start-error.ts';

/** What PostgreSQL or the system says, and what it means to the operator; the first match counts. */
const explanations: { pattern: RegExp; explain: (dataDir: string) => string }[] = [
  {
    // The hint comes with a short write, which has no error of its own.
    pattern: /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|HINT: {2}Check free disk space/,
    explain: (dataDir) =>
      `The disk of the data folder ${dataDir} is full: free some space (a new database takes 100 MB) and start again.`,
  },
  {
    pattern: /Read-only file system|EROFS/,
    explain: (dataDir) =>
      `The data folder ${dataDir} is on a read-only file system: set DATA_DIR to a folder that can be written.`,
  },
  {
    pattern: /has wrong ownership/,
    explain: (dataDir) =>
      `The database in ${dataDir} belongs to another user: start Kontor as that user, or give the folder to this one with chown -R.`,
  },
  {
    pattern: /error while loading shared libraries|Library not loaded|image not found/,
    explain: () =>
      'The PostgreSQL programs were installed without their install scripts: run "npm rebuild" (or "npm ci" without --ignore-scripts).',
  },
  {
    pattern:
      /could not map anonymous shared memory|could not create shared memory|Cannot allocate memory|ENOMEM|out of memory/,
    explain: () =>
      'There is too little memory for PostgreSQL, which reserves 150 MB: free some, or raise the limit of the container.',
  },
  {
    pattern: /EACCES|EPERM|Permission denied|Operation not permitted/,
    explain: (dataDir) =>
      `The data folder ${dataDir} cannot be read and written by this user: change its owner, or set DATA_DIR to another folder.`,
  },
  {
    // What mkdir says below a read-only mount, too.
    pattern: /ENOENT.*mkdir|ENAMETOOLONG|ELOOP/,
    explain: (dataDir) =>
      `The data folder ${dataDir} cannot be made there: set DATA_DIR to a folder that this user may write.`,
  },
  {
    pattern: /ENOTDIR|EEXIST|Not a directory/,
    explain: (dataDir) =>
      `The data folder ${dataDir} cannot be made, because a file is in the way: remove it, or set DATA_DIR to another folder.`,
  },
];

/**
 * Turns whatever ended a start into the one line that the operator is shown.
 * @param fault what was thrown
 * @param output what initdb or postgres wrote, if one of them failed
 */
export function explainFault(fault: unknown, dataDir: string, output = ''): StartError {
  if (fault instanceof StartError) return fault;
  const said = fault instanceof Error ? fault.message : String(fault);
  for (const { pattern, explain } of explanations) {
    if (pattern.test(output) || pattern.test(said)) return new StartError(explain(dataDir), { cause: fault });
  }
  const line = output
    .split('\n')
    .find((text) => /FATAL|PANIC|error:/.test(text))
    ?.replace(/^.*?(FATAL|PANIC|error):\s*/, '');
  return new StartError(
    `PostgreSQL did not start in ${dataDir}: ${line ?? said.trim()}. See ${dataDir}/postgres.log.`,
    { cause: fault },
  );
}
