import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { inWorkspace } from '../../api/client.ts';
import { fullTime, shortTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { useAction } from '../../ui/Action.tsx';
import { iconButtonLook } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { showToast } from '../../ui/toast.ts';
import { words, wordsOr } from '../../words/words.ts';
import { useIsManager } from '../manager.ts';
import { refreshRules } from './queries.ts';
import { RuleRuns } from './RuleRuns.tsx';
import { contentOf, type Rule } from './rule.ts';
import styles from './rules.module.css';
import { Sentence } from './Sentence.tsx';
import { type RuleNames, sentenceOf } from './sentence.ts';
import type { Order } from './use-order.ts';
import { useSwitch } from './use-switch.ts';

type Props = {
  rule: Rule;
  names: RuleNames;
  order: Order;
  /** The rules of the same list. */
  among: readonly Rule[];
  /** Takes the focus at first, after its editor had it. */
  isBack: boolean;
  onOpen: () => void;
  /** Takes the focus from a rule that is deleted. */
  onGone: () => void;
  onCopy: () => void;
};

/** A rule as a sentence, with its switch, its runs and what else can be done with it. */
export function RuleLine({ rule, names, order, among, isBack, onOpen, onGone, onCopy }: Props) {
  const isManager = useIsManager();
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isBack) place.current?.querySelector<HTMLElement>('[aria-haspopup="menu"]')?.focus();
  }, [isBack]);
  const { isOn, turn, fault } = useSwitch(rule);
  const [areRunsOpen, setAreRunsOpen] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isManager || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    order.move(rule, among, event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    <li
      ref={place}
      className={styles.rule}
      data-off={!isOn || undefined}
      onKeyDown={onKeyDown}
      {...(isManager && order.drag(rule, among))}
    >
      {isManager && (
        <Checkbox
          isSwitch
          aria-label={words('rules.on', { name: rule.name })}
          checked={isOn}
          onChange={({ target }) => turn(target.checked)}
        />
      )}
      <div className={styles.text}>
        <p>
          <Sentence parts={sentenceOf(contentOf(rule), names)} />
        </p>
        <small dir="auto">{rule.name}</small>
        {fault}
      </div>
      <div className={styles.runs}>
        <button type="button" onClick={() => setAreRunsOpen(true)}>
          {words('rules.runs', { count: rule.runCount })}
        </button>
        <State rule={rule} isOn={isOn} />
      </div>
      {areRunsOpen && <RuleRuns rule={rule} onClose={() => setAreRunsOpen(false)} />}
      {isManager && <More {...{ rule, among, order, onOpen, onGone, onCopy }} />}
    </li>
  );
}

/** When it ran last, or why it does not run. */
function State({ rule: { pausedReason, lastRunAt, lastOutcome }, isOn }: { rule: Rule; isOn: boolean }) {
  if (!isOn && pausedReason !== null)
    return (
      <span className={styles.bad}>
        {words('rules.paused', { why: wordsOr(pausedReason, `rules.pausedBy.${pausedReason}`) })}
      </span>
    );
  if (!isOn) return <span>{words('rules.off')}</span>;
  if (lastRunAt === null) return <span>{words('rules.never')}</span>;
  const time = (
    <time dateTime={lastRunAt} title={fullTime(lastRunAt)}>
      {shortTime(lastRunAt)}
    </time>
  );
  if (lastOutcome === 'failed')
    return (
      <span className={styles.bad}>
        {words('rules.lastFailed')} {time}
      </span>
    );
  return time;
}

function More({ rule, among, order, onOpen, onGone, onCopy }: Omit<Props, 'names' | 'isBack'>) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const remove = useAction(async () => {
    await inWorkspace(workspace.id).DELETE('/rules/{ruleId}', { path: { ruleId: rule.id } });
    showToast(words('rules.deleted', { name: rule.name }));
    onGone();
    await refreshRules(workspace.id);
  });
  const at = among.indexOf(rule);
  const items = () => [
    [
      { id: 'edit', text: words('rules.edit'), icon: 'pencil' as const, run: onOpen },
      { id: 'copy', text: words('rules.copy'), icon: 'copy' as const, run: onCopy },
    ],
    [
      {
        ...{ id: 'up', text: words('rules.up'), icon: 'up' as const, isDisabled: at === 0 },
        run: () => order.move(rule, among, -1),
      },
      {
        ...{ id: 'down', text: words('rules.down'), icon: 'down' as const, isDisabled: at === among.length - 1 },
        run: () => order.move(rule, among, 1),
      },
    ],
    [
      {
        ...{ id: 'audit', text: words('rules.audit'), icon: 'history' as const },
        run: () => navigate(`${paths.settings('audit')}?kind=rules`),
      },
    ],
    [
      {
        ...{ id: 'delete', text: words('rules.delete'), icon: 'trash' as const, isDanger: true },
        run: () => remove.start(undefined, words('rules.deleteSure', { name: rule.name })),
      },
    ],
  ];
  return (
    <>
      <MenuButton
        label={words('rules.moreOf', { name: rule.name })}
        aria-label={words('rules.moreOf', { name: rule.name })}
        items={items}
        className={iconButtonLook}
      >
        <Icon name="more" />
      </MenuButton>
      {remove.fault}
    </>
  );
}
