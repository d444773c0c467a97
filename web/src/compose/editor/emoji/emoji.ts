import { queryOptions } from '@tanstack/react-query';
import { type Language, languageOf } from '../../../words/words.ts';

/** An emoji, its name in the language of the page, and other words for it, English short names among them. */
export type Emoji = readonly [emoji: string, name: string, words: string];

/** Each language is a file of its own, which the first emoji fetches. The build writes them (`vite.config.ts`). */
const files: Record<Language, () => Promise<{ emoji: readonly Emoji[] }>> = {
  en: () => import('virtual:emoji-en'),
  de: () => import('virtual:emoji-de'),
};

export function emojiQuery(locale: string) {
  const language = languageOf(locale) ?? 'en';
  return queryOptions({
    queryKey: ['emoji', language],
    queryFn: async () => (await files[language]()).emoji,
    networkMode: 'always',
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What people write to customers and colleagues most. */
export const usual = `
  🙂 😀 😄 😊 😉 😂 😍 🤗
  🤔 😅 😐 😕 😢 😮 🙏 👍
  👎 👌 👏 🙌 👋 💪 🤝 ❤️
  🎉 ✨ ⭐ 🔥 ✅ ❌ ⚠️ 💡
  📎 📅 📦 🚚 📞 💶 ☕ 🌞`
  .trim()
  .split(/\s+/);

/** The emoji that match all typed words, the best first: by short name, by name, then by their other words. */
export function findEmoji(all: readonly Emoji[], typed: string, max: number): Emoji[] {
  const parts = typed.toLowerCase().split(gap).filter(Boolean);
  if (parts.length === 0) return [];
  const ranked = all.flatMap((emoji) => {
    const rank = rankOf(emoji, parts);
    return rank === undefined ? [] : [{ emoji, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank || a.emoji[1].length - b.emoji[1].length)
    .slice(0, max)
    .map(({ emoji }) => emoji);
}

const gap = /[\s_-]+/;

function rankOf([, name, words]: Emoji, parts: readonly string[]): number | undefined {
  const own = name.toLowerCase();
  const each = `${own} ${words.toLowerCase()}`.split(gap);
  if (!parts.every((part) => each.some((word) => word.startsWith(part)))) return undefined;
  if (words.split(' ').includes(parts.join('_'))) return 0;
  if (own.startsWith(parts.join(' '))) return 1;
  return parts.every((part) => each.includes(part)) ? 2 : 3;
}
