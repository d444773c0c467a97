const key = 'kontor.afterAction';

export const afterActions = ['next', 'stay', 'list'] as const;
type AfterAction = (typeof afterActions)[number];

/** What is shown once a ticket was closed, snoozed, archived or merged; kept in this browser. */
export function afterAction(): AfterAction {
  const chosen = localStorage.getItem(key);
  return afterActions.find((action) => action === chosen) ?? 'next';
}

export function chooseAfterAction(action: AfterAction): void {
  localStorage.setItem(key, action);
}
