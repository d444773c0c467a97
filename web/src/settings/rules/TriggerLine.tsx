import { Select } from '../../ui/Select.tsx';
import { type WordKey, words } from '../../words/words.ts';
import type { Trigger } from './rule.ts';
import styles from './rules.module.css';
import { isSince, nameOfTrigger, spanOf, triggerNames, triggerOf, type Unit, units } from './triggers.ts';
import type { RuleOptions } from './use-rule-names.ts';

type Props = { trigger: Trigger; options: RuleOptions; onChange: (trigger: Trigger) => void };

/** What the rule waits for: something that happens, or time that passes. */
export function TriggerLine({ trigger, options, onChange }: Props) {
  const name = nameOfTrigger(trigger);
  const other = 'event' in trigger ? trigger.event : '';
  return (
    <div className={styles.sentence}>
      <Select
        label={words('rules.trigger')}
        value={name ?? 'other'}
        options={[
          ...triggerNames.map((value) => ({ value, text: triggerWords(value) })),
          ...(name === undefined ? [{ value: 'other' as const, text: words('rules.on.other', { event: other }) }] : []),
        ]}
        onChange={(chosen) => chosen !== 'other' && chosen !== name && onChange(triggerOf(chosen, trigger))}
      />
      {'after' in trigger && <Span trigger={trigger} options={options} onChange={onChange} />}
    </div>
  );
}

function triggerWords(name: (typeof triggerNames)[number]): string {
  return words((isSince(name) ? `rules.sinceName.${name}` : `rules.on.${name}`) as WordKey);
}

type SpanProps = Omit<Props, 'trigger'> & { trigger: Extract<Trigger, { after: string }> };
const countMax = 9_999;

/** How long, and which hours count. */
function Span({ trigger, options: { calendars }, onChange }: SpanProps) {
  const { count, unit } = spanOf(trigger.after);
  const set = (to: { count?: number; unit?: Unit }) =>
    onChange({ ...trigger, after: `${to.count ?? count}${to.unit ?? unit}` });
  const always = { value: '', text: words('rules.anyHours') };
  return (
    <>
      <input
        type="number"
        className={`text-field ${styles.count}`}
        aria-label={words('rules.howLong')}
        min={1}
        max={countMax}
        required
        // Empty while another number is typed.
        defaultValue={count}
        onChange={({ target }) => {
          const typed = Math.trunc(target.valueAsNumber);
          if (typed >= 1 && typed <= countMax) set({ count: typed });
        }}
      />
      <Select
        label={words('rules.unit')}
        value={unit}
        options={(Object.keys(units) as Unit[]).map((value) => ({ value, text: words(`rules.unit.${value}`) }))}
        onChange={(chosen) => set({ unit: chosen })}
      />
      {(calendars.length > 0 || trigger.calendarId != null) && (
        <Select
          label={words('rules.calendar')}
          value={trigger.calendarId ?? ''}
          options={[always, ...calendars.map(([value, name]) => ({ value, text: words('rules.inHours', { name }) }))]}
          onChange={(calendarId) => onChange({ ...trigger, calendarId: calendarId === '' ? null : calendarId })}
        />
      )}
    </>
  );
}
