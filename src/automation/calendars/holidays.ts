import { invalidRequest } from '../../ground/lib/errors.ts';
import { openWorkerPool } from '../../ground/platform/worker-pool.ts';
import type { HolidayQuestion } from './holiday-worker.ts';
import type { Holiday, HolidayCountry } from './schema.ts';

/** Public holidays of the world, as proposals. */
export type Holidays = {
  countries(language: string): Promise<HolidayCountry[]>;
  /** Throws 400 for a country or a region that is not known. */
  of(wanted: { country: string; region?: string; year: number; language: string }): Promise<Holiday[]>;
  close(): Promise<void>;
};

/** The rules of all countries take a second to load, and memory: so a thread has them, for a minute after its use. */
export function openHolidays(): Holidays {
  const pool = openWorkerPool<HolidayQuestion, HolidayCountry[] | Holiday[]>({
    module: new URL('./holiday-worker.ts', import.meta.url),
    threadsMax: 1,
    waitingMax: 20,
    secondsMax: 60,
  });
  // The casts are safe: the worker answers with countries where no country is asked for.
  const countries = async (language: string) => (await pool.ask({ language })) as HolidayCountry[];
  return {
    countries,
    of: async (wanted) => {
      const country = (await countries(wanted.language)).find((each) => each.country === wanted.country);
      if (country === undefined) throw invalidRequest({ path: 'query.country', key: 'not_a_country' });
      if (wanted.region !== undefined && !country.regions.some(({ region }) => region === wanted.region))
        throw invalidRequest({ path: 'query.region', key: 'not_a_region' });
      return (await pool.ask(wanted)) as Holiday[];
    },
    close: () => pool.close(),
  };
}
