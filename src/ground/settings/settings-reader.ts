import { readFileSync } from 'node:fs';
import { settingMeantBy } from './misspelt.ts';

/**
 * Reads single settings, and collects their faults and warnings. An empty setting counts as unset. `NAME_FILE` names a
 * file with the value of `NAME`, because secrets in the environment show in more places.
 */
export type SettingsReader = ReturnType<typeof settingsReader>;

export function settingsReader(environment: Record<string, string | undefined>) {
  const faults: string[] = [];
  const inFile = (name: string): string | undefined => {
    const path = environment[name]?.trim();
    if (!path) return undefined;
    try {
      return readFileSync(path, 'utf8').trim() || undefined;
    } catch (error) {
      const fault = `${name}: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
      if (!faults.includes(fault)) faults.push(fault);
      return undefined;
    }
  };
  const known = new Set<string>();
  const text = (name: string): string | undefined => {
    known.add(name).add(`${name}_FILE`);
    return environment[name]?.trim() || inFile(`${name}_FILE`);
  };
  return {
    /** The faults of all settings, for one report. */
    faults,
    /** Warnings to log at start. */
    warnings: [] as string[],
    text,
    /** A sentence for each variable that looks like a misspelt setting. Call it when all settings have been read. */
    misspelt(): string[] {
      return Object.keys(environment).flatMap((name) => {
        const meant = environment[name]?.trim() ? settingMeantBy(name, known) : undefined;
        return meant === undefined ? [] : [`${name} is not a setting: did you mean ${meant}?`];
      });
    },
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = text(name);
      if (value === undefined) return fallback;
      const number = Number(value);
      if (/^\d+$/.test(value) && number >= min && number <= max) return number;
      faults.push(`${name}: "${value}" is not a whole number from ${min} to ${max}`);
      return fallback;
    },
    choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
      const value = text(name);
      if (value === undefined || (choices as readonly string[]).includes(value)) return value as Choice | undefined;
      faults.push(`${name}: "${value}" is not one of ${choices.join(', ')}`);
      return undefined;
    },
    url(name: string, protocols: string[]): string | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
      // The message leaves the value out, because it may hold a password.
      const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
      faults.push(`${name}: not an address that begins with ${beginnings}`);
      return undefined;
    },
    list: (name: string, fallback: string[]): string[] =>
      text(name)
        ?.split(',')
        .map((item) => item.trim())
        .filter(Boolean) ?? fallback,
  };
}
