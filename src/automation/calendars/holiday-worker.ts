import Holidays from 'date-holidays';
import type { Holiday, HolidayCountry } from './schema.ts';

export type HolidayQuestion = { language: string } & ({ country: string; region?: string; year: number } | object);

const book = new Holidays();
const dayMs = 86_400_000;

/** The holidays of a place in a year, or without a country all places that are known. */
export function answer(question: HolidayQuestion): HolidayCountry[] | Holiday[] {
  return 'country' in question ? holidaysOf(question) : countriesIn(question.language);
}

function countriesIn(language: string): HolidayCountry[] {
  return Object.entries(book.getCountries(language)).map(([country, name]) => ({
    country,
    name,
    regions: Object.entries(book.getStates(country, language) ?? {}).flatMap(([state, stateName]) => [
      { region: state, name: stateName },
      ...Object.entries(book.getRegions(country, state, language) ?? {}).map(([part, partName]) => ({
        region: `${state}-${part}`,
        name: `${stateName}, ${partName}`,
      })),
    ]),
  }));
}

type Wanted = { country: string; region?: string; year: number; language: string };

/** Public holidays alone. Those of half a day are left out, because the other half is open. */
function holidaysOf({ country, region, year, language }: Wanted): Holiday[] {
  const [state = '', part = ''] = region?.split('-') ?? [];
  const found = new Holidays(country, state, part, { types: ['public'] }).getHolidays(year, language);
  const named = new Map<string, string[]>();
  for (const { date, name, start, end } of found) {
    if (!date.startsWith('00:00:00', 11)) continue;
    const first = Date.parse(date.slice(0, 10));
    // A day on which clocks change has other hours than 24.
    const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / dayMs));
    for (let day = 0; day < days; day += 1) {
      const dated = new Date(first + day * dayMs).toISOString().slice(0, 10);
      named.set(dated, [...(named.get(dated) ?? []), name]);
    }
  }
  return [...named]
    .map(([date, names]) => ({ date, name: [...new Set(names)].join(', ') }))
    .sort((one, other) => (one.date < other.date ? -1 : 1));
}
