import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { rulesQuery } from '../../tickets/rules.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { HeadAction } from '../HeadAction.tsx';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { RuleFile } from './file/RuleFile.tsx';
import { NewRuleDialog } from './NewRuleDialog.tsx';
import { RuleEditor } from './RuleEditor.tsx';
import { RuleLine } from './RuleLine.tsx';
import { copyOf, draftOf, partOf, type Rule, type RuleDraft } from './rule.ts';
import styles from './rules.module.css';
import { useOrder } from './use-order.ts';
import { useRuleNames } from './use-rule-names.ts';

const list = paths.settings('rules');
const parts = ['message', 'change', 'time'] as const;

/** The rules of the workspace as sentences, in the order in which they run. The address names the open rule. */
export function RuleSettings() {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const [, navigate] = useLocation();
  const openId = new URLSearchParams(useSearch()).get('rule');
  const source = useQuery(rulesQuery(workspace.id));
  const newButton = useRef<HTMLButtonElement>(null);
  const [isChoosing, setIsChoosing] = useState(false);
  const [backId, setBackId] = useState<string>();
  const [draft, setDraft] = useState<RuleDraft>();
  const rules = source.data ?? [];
  const begin = (begun: RuleDraft) => {
    setIsChoosing(false);
    setDraft(begun);
    navigate(list);
  };
  return (
    <>
      {isManager && (
        <HeadAction>
          <Button ref={newButton} look="primary" onClick={() => setIsChoosing(true)}>
            <Icon name="plus" />
            {words('rules.new')}
          </Button>
        </HeadAction>
      )}
      {isChoosing && <NewRuleDialog rules={rules} onChoose={begin} onClose={() => setIsChoosing(false)} />}
      {draft !== undefined && (
        <Section title={words('rules.newTitle')}>
          <NewRule
            draft={draft}
            onDone={(id) => {
              setDraft(undefined);
              setBackId(id);
              if (id === undefined) newButton.current?.focus();
            }}
          />
        </Section>
      )}
      {source.error !== null && <Fault error={source.error} onRetry={() => void source.refetch()} />}
      {source.data?.length === 0 && draft === undefined && <p role="status">{words('rules.none')}</p>}
      {source.data === undefined && source.error === null && <p role="status">{words('loading')}</p>}
      <RuleLists
        rules={rules}
        openId={isManager ? openId : null}
        backId={backId}
        onOpen={(id) => {
          setBackId(id === null && openId !== null ? openId : undefined);
          navigate(id === null ? list : `${list}?rule=${id}`);
        }}
        onGone={() => newButton.current?.focus()}
        onCopy={(rule) => begin(copyOf(rule, rules))}
      />
      {isManager && source.data !== undefined && <RuleFile />}
    </>
  );
}

function NewRule({ draft, onDone }: { draft: RuleDraft; onDone: (id?: string) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const { names, options } = useRuleNames();
  useEffect(() => place.current?.focus(), []);
  return (
    <div ref={place} tabIndex={-1} className={styles.fresh}>
      <RuleEditor {...{ names, options }} initial={draft} onDone={onDone} />
    </div>
  );
}

type ListProps = {
  rules: readonly Rule[];
  openId: string | null;
  /** The rule whose editor was open, so that the focus needs a new place. */
  backId: string | undefined;
  onOpen: (id: string | null) => void;
  onGone: () => void;
  onCopy: (rule: Rule) => void;
};

function RuleLists({ rules, openId, backId, onOpen, onGone, onCopy }: ListProps) {
  const { names, options } = useRuleNames();
  const order = useOrder(rules);
  return (
    <>
      <p role="status" className="visually-hidden">
        {order.told}
      </p>
      {order.fault}
      {parts.map((part) => {
        const shown = order.rules.filter(({ trigger }) => partOf(trigger) === part);
        if (shown.length === 0) return null;
        return (
          <Section key={part} title={words(`rules.when.${part}`)} count={shown.length}>
            <ol className={styles.rules} aria-label={words(`rules.when.${part}`)}>
              {shown.map((rule) =>
                rule.id === openId ? (
                  <li key={rule.id} className={styles.open}>
                    <RuleEditor {...{ names, options, rule }} initial={draftOf(rule)} onDone={() => onOpen(null)} />
                  </li>
                ) : (
                  <RuleLine
                    key={rule.id}
                    {...{ rule, names, order, among: shown, onGone }}
                    isBack={rule.id === backId}
                    onOpen={() => onOpen(rule.id)}
                    onCopy={() => onCopy(rule)}
                  />
                ),
              )}
            </ol>
          </Section>
        );
      })}
    </>
  );
}
