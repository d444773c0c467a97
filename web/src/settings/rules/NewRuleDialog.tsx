import { usePlace } from '../../session/Guard.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { words } from '../../words/words.ts';
import { freeName, type Rule, type RuleDraft } from './rule.ts';
import styles from './rules.module.css';
import { Sentence } from './Sentence.tsx';
import { sentenceOf } from './sentence.ts';
import { startIds, startOf } from './starting-points.ts';
import { useRuleNames } from './use-rule-names.ts';

type Props = { rules: readonly Rule[]; onChoose: (draft: RuleDraft) => void; onClose: () => void };

/** What a new rule begins with: a rule that many teams have, or nothing. */
export function NewRuleDialog({ rules, onChoose, onClose }: Props) {
  const { userId } = usePlace();
  const { names, options, isLoading } = useRuleNames();
  return (
    <Dialog title={words('rules.new')} onClose={onClose} className={styles.starts}>
      <p>{words('rules.startHint')}</p>
      {isLoading && <p role="status">{words('loading')}</p>}
      <ul aria-busy={isLoading}>
        {(isLoading ? [] : startIds).map((id) => {
          const draft = startOf(id, { options, userId });
          return (
            <li key={id}>
              <button
                type="button"
                onClick={() => onChoose({ ...draft, name: draft.name && freeName(draft.name, rules) })}
              >
                <b>{words(`rules.start.${id}`)}</b>
                <span>
                  {id === 'blank' ? words('rules.start.blankHint') : <Sentence parts={sentenceOf(draft, names)} />}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
