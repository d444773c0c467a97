import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';

/** Copies a text, and says so. On plain HTTP a page has no clipboard, so the text is shown to be copied by hand. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(words('copied.done', { what: text }));
  } catch {
    showToast(words('copied.byHand', { what: text }), { stays: true });
  }
}
