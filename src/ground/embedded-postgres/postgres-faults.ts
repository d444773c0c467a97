import { StartError } from '../lib/start-error.ts';

/** Messages of PostgreSQL or the system, with explanations for the operator. The first match counts. */
const explanations: { pattern: RegExp; explain: (dataDir: string) => string }[] = [
  {
    // PostgreSQL gives this hint for a short write, which has no system error.
    pattern: /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|HINT: {2}Check free disk space/,
    explain: (dataDir) =>
      `The disk of the data folder ${dataDir} is full: free some space (a new database takes 100 MB) and start again.`,
  },
  {
    pattern: /Read-only file system|EROFS/,
    explain: (dataDir) =>
      `The data folder ${dataDir} is on a read-only file system: set DATA_DIR to a writable folder.`,
  },
  {
    pattern: /has wrong ownership/,
    explain: (dataDir) =>
      `The database in ${dataDir} belongs to another user: start Kontor as that user, or change its owner by chown -R.`,
  },
  {
    pattern: /error while loading shared libraries|Library not loaded|image not found/,
    explain: () =>
      'The PostgreSQL programs were installed without their install scripts: ' +
      'run "npm rebuild" (or "npm ci" without --ignore-scripts).',
  },
  {
    pattern: /could not (?:map anonymous|create) shared memory|Cannot allocate memory|ENOMEM|out of memory/,
    explain: () =>
      'There is too little memory for PostgreSQL, which reserves 150 MB: free some, or raise the container limit.',
  },
  {
    pattern: /EACCES|EPERM|Permission denied|Operation not permitted/,
    explain: (dataDir) =>
      `The data folder ${dataDir} cannot be read and written by this user: ` +
      'change its owner, or set DATA_DIR to another folder.',
  },
  {
    // `mkdir` also says this below a read-only mount.
    pattern: /ENOENT.{0,500}mkdir|ENAMETOOLONG|ELOOP/,
    explain: (dataDir) =>
      `The data folder ${dataDir} cannot be created there: set DATA_DIR to a folder that this user may write.`,
  },
  {
    pattern: /ENOTDIR|EEXIST|Not a directory/,
    explain: (dataDir) =>
      `The data folder ${dataDir} cannot be created, because a file is in the way: ` +
      'remove the file, or set DATA_DIR to another folder.',
  },
];

/**
 * Turns the fault that ended a start into one line for the operator.
 * @param fault the thrown value
 * @param output the output of initdb or postgres, if one of them failed
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
