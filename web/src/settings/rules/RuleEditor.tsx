import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { inWorkspace } from '../../api/client.ts';
import { fullDay } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { ConditionLines } from './ConditionLines.tsx';
import { fieldsFor } from './fields.ts';
import { areShownBeside, FieldIssues, IssuesOf } from './issues.tsx';
import { Preview } from './Preview.tsx';
import { refreshRules } from './queries.ts';
import { RuleActionFields } from './RuleActionFields.tsx';
import { bodyOf, partOf, type Rule, type RuleDraft, termsOf } from './rule.ts';
import styles from './rules.module.css';
import { Sentence } from './Sentence.tsx';
import { plainOf, type RuleNames, sentenceOf } from './sentence.ts';
import { TriggerLine } from './TriggerLine.tsx';
import type { RuleOptions } from './use-rule-names.ts';
import { useSwitch, whenConfirmed } from './use-switch.ts';

type Props = {
  /** Undefined for a rule that is not stored yet. */
  rule?: Rule;
  initial: RuleDraft;
  names: RuleNames;
  options: RuleOptions;
  /** @param id of the rule, if it was stored */
  onDone: (id?: string) => void;
};

const nameMax = 100;

/** A rule as a sentence whose parts are chosen in place, and below it what it would have done so far. */
export function RuleEditor({ rule, initial, names, options, onDone }: Props) {
  const [draft, setDraft] = useState(initial);
  const form = useRef<HTMLFormElement>(null);
  const change = (changed: Partial<RuleDraft>) => setDraft({ ...draft, ...changed });
  const saving = useSaving(rule, onDone);
  const sentence = sentenceOf(draft, names);
  const named = { ...draft, name: draft.name.trim() || plainOf(sentence).slice(0, nameMax) };
  const save = (isActive?: boolean) => {
    if (form.current?.reportValidity() === true) saving.mutate({ draft: named, isActive });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(rule === undefined ? true : undefined);
  };
  return (
    <IssuesOf error={saving.error}>
      <form ref={form} className={styles.editor} noValidate onSubmit={submit}>
        <p className={styles.said} aria-live="polite">
          <Sentence parts={sentence} />
        </p>
        <Lines {...{ draft, names, options, change }} />
        <Extras draft={draft} sentence={plainOf(sentence)} change={change} />
        <Preview draft={named} names={names} />
        {saving.error !== null && !areShownBeside(saving.error, ['name', 'trigger', 'conditions', 'actions']) && (
          <Fault error={saving.error} />
        )}
        <div className={styles.foot}>
          {rule !== undefined && <LastChange rule={rule} names={names} />}
          <Button look="quiet" onClick={() => onDone()}>
            {words('rules.cancel')}
          </Button>
          {rule === undefined && (
            <Button disabled={saving.isPending} onClick={() => save(false)}>
              {words('rules.saveOff')}
            </Button>
          )}
          <Button type="submit" look="primary" disabled={saving.isPending}>
            {words(rule === undefined ? 'rules.saveOn' : 'rules.save')}
          </Button>
        </div>
      </form>
    </IssuesOf>
  );
}

/** Stores the rule; a new one also on. */
function useSaving(rule: Rule | undefined, onDone: Props['onDone']) {
  const { workspace } = usePlace();
  const here = inWorkspace(workspace.id);
  return useMutation({
    mutationFn: ({ draft, isActive }: { draft: RuleDraft; isActive: boolean | undefined }) =>
      whenConfirmed((confirm) =>
        rule === undefined
          ? here.POST('/rules', { body: { ...bodyOf(draft), isActive: isActive === true, ...confirm } })
          : here.PATCH('/rules/{ruleId}', {
              path: { ruleId: rule.id },
              header: { 'if-match': `"${rule.version}"` },
              body: { ...bodyOf(draft), ...confirm },
            }),
      ),
    onSuccess: async (saved) => {
      if (saved === undefined) return;
      showToast(words(saved.isActive ? 'rules.savedOn' : 'rules.saved', { name: saved.name }));
      await refreshRules(workspace.id);
      onDone(saved.id);
    },
  });
}

type LinesProps = {
  draft: RuleDraft;
  names: RuleNames;
  options: RuleOptions;
  change: (changed: Partial<RuleDraft>) => void;
};

/** When, if, then. */
function Lines({ draft, names, options, change }: LinesProps) {
  const { trigger, conditions, actions } = draft;
  return (
    <>
      <div className={styles.line} role="group" aria-label={words('rules.whenWord')}>
        <b>{words('rules.whenWord')}</b>
        <div>
          <TriggerLine trigger={trigger} options={options} onChange={(to) => change({ trigger: to })} />
          <FieldIssues at="trigger" />
        </div>
      </div>
      <div className={styles.line} role="group" aria-label={words('rules.ifWord')}>
        <b>{words('rules.ifWord')}</b>
        <ConditionLines
          group={conditions ?? { all: [] }}
          path="conditions"
          isOuter
          fields={fieldsFor(partOf(trigger))}
          {...{ names, options }}
          onChange={(to) => change({ conditions: termsOf(to).length === 0 ? null : to })}
        />
      </div>
      <div className={styles.line} role="group" aria-label={words('rules.thenWord')}>
        <b>{words('rules.thenWord')}</b>
        <RuleActionFields actions={actions} options={options} onChange={(to) => change({ actions: to })} />
      </div>
    </>
  );
}

type ExtraProps = Pick<LinesProps, 'draft' | 'change'> & { sentence: string };

function Extras({ draft, sentence, change }: ExtraProps) {
  return (
    <div className={styles.extras}>
      <Field
        label={words('rules.name')}
        help={words('rules.nameHint')}
        maxLength={nameMax}
        placeholder={sentence.slice(0, nameMax)}
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <FieldIssues at="name" />
      <Checkbox checked={draft.stopAfter} onChange={({ target }) => change({ stopAfter: target.checked })}>
        {words('rules.stopAfter')}
      </Checkbox>
      <Checkbox checked={draft.onRules} onChange={({ target }) => change({ onRules: target.checked })}>
        {words('rules.onRules')}
      </Checkbox>
    </div>
  );
}

function LastChange({ rule, names }: { rule: Rule; names: RuleNames }) {
  const { isOn, turn, fault } = useSwitch(rule);
  return (
    <div className={styles.last}>
      <Checkbox isSwitch checked={isOn} onChange={({ target }) => turn(target.checked)}>
        {words('rules.isOn')}
      </Checkbox>
      <small>
        {rule.changedBy !== null &&
          words('rules.lastChange', { person: names.person(rule.changedBy), day: fullDay(rule.updatedAt) })}
      </small>
      {fault}
    </div>
  );
}
