/** Without control characters, and those that no reader sees or that turn the reading direction. */
export function withoutInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '');
}
