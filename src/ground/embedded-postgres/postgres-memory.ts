/** PostgreSQL's default, in MB. */
export const bufferMbLeast = 128;
const bufferMbMost = 8_192;

/**
 * A quarter of the memory in MB, as PostgreSQL's manual advises (section 19.4.1). Unused buffers take hardly any.
 * @param constrainedBytes the container's limit; 0, or more than the total, when there is no limit
 */
export function bufferMbOf(totalBytes: number, constrainedBytes: number): number {
  const bytes = Math.min(totalBytes, constrainedBytes || totalBytes);
  return Math.min(Math.max(Math.floor(bytes / 4 / 1_048_576), bufferMbLeast), bufferMbMost);
}
