import { join } from 'node:path';
import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' };
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { icons } from './src/ui/icons.ts';

const service = process.env.KONTOR_URL ?? 'http://localhost:3000';

/**
 * Writes the page once for each language: `index.html` in English, the others as `index.<language>.html`. Each names the
 * first words of its language among the files that the browser fetches at once; otherwise they would cost a round trip.
 */
function pageOfEachLanguage(): Plugin {
  return {
    name: 'page-of-each-language',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('Vite has made no index.html');
      const pages = new Map<string, string>();
      for (const chunk of Object.values(bundle)) {
        const language = /\/words\/([a-z]{2})\.json$/.exec((chunk.type === 'chunk' && chunk.facadeModuleId) || '')?.[1];
        if (language === undefined) continue;
        const source = String(page.source)
          .replace('<html lang="en">', `<html lang="${language}">`)
          .replace('</title>', `</title>\n    <link rel="modulepreload" crossorigin href="/${chunk.fileName}">`);
        pages.set(language, source);
      }
      for (const [language, source] of pages) {
        if (language === 'en') page.source = source;
        else this.emitFile({ type: 'asset', fileName: `index.${language}.html`, source });
      }
    },
  };
}

/** The drawings of `Icon`, once in the page. Strokes are set by base.css. */
function iconSprite(): Plugin {
  const stroke = /\s(?:fill|stroke(?:-\w+)?)="[^"]*"/g;
  const symbols = Object.entries(icons).map(([name, drawing]) => {
    const { body } = lucide.icons[drawing];
    return `<symbol id="i-${name}" viewBox="0 0 24 24">${body.replace(stroke, '')}</symbol>`;
  });
  return {
    name: 'icon-sprite',
    transformIndexHtml: (page) =>
      page.replace('<body>', `<body>\n    <svg hidden aria-hidden="true">${symbols.join('')}</svg>`),
  };
}

const emojiPrefix = 'virtual:emoji-';
const json = { with: { type: 'json' } } as const;
const emojiData: Record<string, () => Promise<{ default: EmojibaseEmoji[] }>> = {
  en: () => import('emojibase-data/en/data.json', json),
  de: () => import('emojibase-data/de/data.json', json),
};
/** Later ones many systems cannot draw. */
const versionMax = 15;
/** Parts of other emoji, and flags, which nobody writes to a customer. */
const groupsLeftOut = [2, 9];

/** The emoji that `emoji.ts` fetches: each with its name, and with English short names and other words. */
function emojiOfEachLanguage(): Plugin {
  return {
    name: 'emoji-of-each-language',
    resolveId: (id) => (id.startsWith(emojiPrefix) ? `\0${id}` : undefined),
    load: async (id) => {
      const all = id.startsWith(`\0${emojiPrefix}`) ? await emojiData[id.slice(emojiPrefix.length + 1)]?.() : undefined;
      if (all === undefined) return undefined;
      const { default: shortNames } = await import('emojibase-data/en/shortcodes/github.json', json);
      const kept = all.default.filter(
        ({ group, version }) => group !== undefined && !groupsLeftOut.includes(group) && version <= versionMax,
      );
      const rows = kept.map(({ emoji, label, tags = [], hexcode }) => [
        // Emojibase asks for the picture also where it is what systems draw anyway.
        emoji.replace(/^(\p{Emoji_Presentation})\ufe0f$/u, '$1'),
        label,
        [...[(shortNames as Record<string, string | string[]>)[hexcode] ?? []].flat(), ...tags].join(' '),
      ]);
      return `export const emoji = JSON.parse(${JSON.stringify(JSON.stringify(rows))})`;
    },
  };
}

type EmojibaseEmoji = {
  emoji: string;
  label: string;
  hexcode: string;
  version: number;
  group?: number;
  tags?: string[];
};

/** The mode `gallery` builds only the page of all components, which no release has. */
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  plugins: [react(), iconSprite(), emojiOfEachLanguage(), mode === 'gallery' ? [] : pageOfEachLanguage()],
  // The router brings its own copy for versions of React that have none.
  resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
  build: {
    target: 'es2023',
    // The first with light-dark(), which the colours need. For older ones the build would rewrite :dir() as languages.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The first page loads one file. Splitting off small files that later chunks share would add bytes in total.
    rolldownOptions: {
      ...(mode === 'gallery' && { input: join(import.meta.dirname, 'gallery.html') }),
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
  server: { proxy: { '/v1': service, '/docs': service } },
}));
