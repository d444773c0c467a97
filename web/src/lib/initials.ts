/** At most two letters that stand for a person. */
export function initialsOf(name: string): string {
  const [first = '', ...others] = name.split(/\s+/);
  return `${first[0] ?? ''}${others.at(-1)?.[0] ?? ''}`.toUpperCase();
}
