/** What PostgreSQL takes by itself, in MB. */
export const bufferMbLeast = 128;
const bufferMbMost = 8_192;

/**
 * A quarter of the memory, as PostgreSQL's manual advises (section 19.4.1), in MB: what is not used is hardly taken.
 * @param constrainedBytes of a container; 0, or more than there is, where nothing is constrained
 */
export function bufferMbOf(totalBytes: number, constrainedBytes: number): number {
  const bytes = Math.min(totalBytes, constrainedBytes || totalBytes);
  return Math.min(Math.max(Math.floor(bytes / 4 / 1_048_576), bufferMbLeast), bufferMbMost);
}
