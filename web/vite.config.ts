import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const service = process.env.KONTOR_URL ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
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
