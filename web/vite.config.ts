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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), iconSprite(), pageOfEachLanguage()],
  build: {
    target: 'es2023',
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The first page loads one file. Splitting off small files that later chunks share would add bytes in total.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
  server: { proxy: { '/v1': service, '/docs': service } },
});
