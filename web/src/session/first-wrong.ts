type Wrong = {
  field: HTMLInputElement;
  label: string;
  why: 'form.missing' | 'form.none' | 'form.short' | 'form.notAnAddress' | 'form.wrong';
  min: number;
};

/** The first field that the browser would not send, and why. */
export function firstWrong(form: HTMLFormElement): Wrong | undefined {
  for (const field of form.elements) {
    if (!('validity' in field) || !('labels' in field)) continue;
    const input = field as HTMLInputElement;
    if (input.validity.valid) continue;
    const label = input.labels?.[0]?.textContent ?? input.ariaLabel ?? input.name;
    return { field: input, label, why: whyOf(input), min: input.minLength };
  }
  return undefined;
}

function whyOf({ type, validity }: HTMLInputElement): Wrong['why'] {
  if (validity.valueMissing) return type === 'checkbox' ? 'form.none' : 'form.missing';
  if (validity.tooShort) return 'form.short';
  return type === 'email' && validity.typeMismatch ? 'form.notAnAddress' : 'form.wrong';
}
