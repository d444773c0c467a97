import { type DragEvent, useLayoutEffect, useRef, useState } from 'react';
import { inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { useAction } from '../../ui/Action.tsx';
import { words } from '../../words/words.ts';
import { refreshRules, setRules } from './queries.ts';
import type { Rule } from './rule.ts';

/** The order of the rules, as it is dragged or moved by keys. The service learns of each move at once. */
export function useOrder(rules: readonly Rule[]) {
  const { workspace } = usePlace();
  const [draggedId, setDraggedId] = useState<string>();
  const [told, setTold] = useState('');
  const { start, fault } = useAction((ids: string[]) =>
    inWorkspace(workspace.id)
      .PUT('/rules/order', { body: { ids } })
      .finally(() => void refreshRules(workspace.id)),
  );
  const held = useRef<Element>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a line that moves in the document loses the focus
  useLayoutEffect(() => {
    const { current } = held;
    held.current = null;
    if (current instanceof HTMLElement && document.activeElement === document.body) current.focus();
  }, [rules]);
  /** Puts a rule at the place of another one. */
  const put = (rule: Rule, place: Rule) => {
    const to = rules.indexOf(place);
    held.current = document.activeElement;
    const next = rules.filter(({ id }) => id !== rule.id).toSpliced(to, 0, rule);
    setRules(workspace.id, next);
    start(next.map(({ id }) => id));
    setTold(words('rules.moved', { name: rule.name, count: to + 1 }));
  };
  /** @param among the rules of its list. @param by -1 is up */
  const move = (rule: Rule, among: readonly Rule[], by: -1 | 1) => {
    const place = among[among.indexOf(rule) + by];
    if (place !== undefined) put(rule, place);
  };
  const drag = (rule: Rule, among: readonly Rule[]) => ({
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', rule.name);
      setDraggedId(rule.id);
    },
    onDragEnd: () => setDraggedId(undefined),
    onDragOver: (event: DragEvent) => {
      if (among.some(({ id }) => id === draggedId)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      const dragged = among.find(({ id }) => id === draggedId);
      if (dragged !== undefined && dragged.id !== rule.id) put(dragged, rule);
    },
    'data-dragged': rule.id === draggedId || undefined,
  });
  return { rules, told, fault, move, drag };
}

export type Order = ReturnType<typeof useOrder>;
