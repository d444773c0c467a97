import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fullDay } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { ChoiceField } from '../../ui/Choice.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { inOrder, spokenLocale, words } from '../../words/words.ts';
import styles from './hours.module.css';
import { countriesQuery, holidaysQuery, type Place } from './queries.ts';

type Holiday = { date: string; name: string };
type Props = {
  /** The dates that the calendar has already. */
  known: ReadonlySet<string>;
  onAdd: (holidays: Holiday[]) => void;
  onClose: () => void;
};

const yearsAhead = 3;

/** Proposes the public holidays of a place. A person ticks those on which nobody is there. */
export function HolidayDialog({ known, onAdd, onClose }: Props) {
  const { workspace } = usePlace();
  const language = spokenLocale().startsWith('de') ? 'de' : 'en';
  const [place, setPlace] = useState<Place>(() => ({
    country: new Intl.Locale(spokenLocale()).region ?? '',
    region: '',
    year: new Date().getFullYear(),
  }));
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const { data = [], error, isFetching, refetch } = useQuery(holidaysQuery(workspace.id, place, language));
  const offered = data.filter(({ date }) => !known.has(date));
  const chosen = offered.filter(({ date }) => ticked.has(date));
  const areAll = chosen.length === offered.length;
  const toggle = (date: string, isTicked: boolean) => {
    const next = new Set(ticked);
    if (isTicked) next.add(date);
    else next.delete(date);
    setTicked(next);
  };
  return (
    <Dialog title={words('hours.holidays')} onClose={onClose} className={styles.holidays}>
      <p>{words('hours.holidaysHint')}</p>
      <PlaceFields place={place} language={language} onChange={setPlace} />
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      <p role="status" className={styles.proposals}>
        {isFetching ? words('loading') : error === null && offered.length === 0 && words('hours.noHolidays')}
      </p>
      {offered.length > 0 && (
        <fieldset className={styles.ticks}>
          <legend className="visually-hidden">{words('hours.holidays')}</legend>
          {offered.map(({ date, name }) => (
            <Checkbox key={date} checked={ticked.has(date)} onChange={({ target }) => toggle(date, target.checked)}>
              <time dateTime={date}>{fullDay(`${date}T12:00`)}</time> <span dir="auto">{name}</span>
            </Checkbox>
          ))}
        </fieldset>
      )}
      <div className={styles.tools}>
        <Button look="primary" disabled={chosen.length === 0} onClick={() => onAdd(chosen)}>
          {words('hours.addHolidays', { count: chosen.length })}
        </Button>
        {offered.length > 0 && (
          <Button onClick={() => setTicked(new Set(areAll ? [] : offered.map(({ date }) => date)))}>
            {words(areAll ? 'hours.tickNone' : 'hours.tickAll')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

type PlaceProps = { place: Place; language: 'en' | 'de'; onChange: (place: Place) => void };

function PlaceFields({ place, language, onChange }: PlaceProps) {
  const { workspace } = usePlace();
  const { data = [] } = useQuery(countriesQuery(workspace.id, language));
  const countries = [...data].sort((one, other) => inOrder(one.name, other.name));
  const regions = data.find(({ country }) => country === place.country)?.regions ?? [];
  const thisYear = new Date().getFullYear();
  return (
    <div className={styles.place}>
      <ChoiceField
        label={words('hours.country')}
        value={place.country}
        options={[['', words('hours.choose')], ...countries.map(({ country, name }) => [country, name] as const)]}
        onChoose={(country) => onChange({ ...place, country, region: '' })}
      />
      {regions.length > 0 && (
        <ChoiceField
          label={words('hours.region')}
          value={place.region}
          options={[['', words('hours.everywhere')], ...regions.map(({ region, name }) => [region, name] as const)]}
          onChoose={(region) => onChange({ ...place, region })}
        />
      )}
      <ChoiceField
        label={words('hours.year')}
        value={String(place.year)}
        options={Array.from({ length: yearsAhead }, (_, index) => String(thisYear + index)).map(
          (year) => [year, year] as const,
        )}
        onChoose={(year) => onChange({ ...place, year: Number(year) })}
      />
    </div>
  );
}
