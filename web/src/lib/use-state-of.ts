import { useState } from 'react';

/** State that returns to its initial value whenever its key changes. */
export function useStateOf<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const [state, setState] = useState({ key, value: initial });
  return [state.key === key ? state.value : initial, (value) => setState({ key, value })];
}
