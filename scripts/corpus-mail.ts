/**
 * Measures the `mail` room on real mail, and fails if a figure falls short: `node scripts/corpus-mail.ts`. The mail is
 * not in the repository. CORPUS_DIR names its folder (default ../shared/corpus, beside the repository).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readReport } from '@kontor/mail/bounces/report.ts';
import { parseMail } from '@kontor/mail/parse.ts';
import { trimReply } from '@kontor/mail/quoting/quoting.ts';
import { type Figure, ingestFigures } from './corpus-ingest.ts';

const FOLDERS = ['bounces', 'list-threads', 'messages', 'replies'] as const;
/** Names of the reports in `messages/`; people wrote or got all other mails there. */
const TRUE_REPORT = /^multipart_report_emails--/;

/** The figures that need no database, in the order of the output. */
export async function mailFigures(corpusDir: string): Promise<Figure[]> {
  return [await bouncesClassed(corpusDir), await othersSpared(corpusDir), repliesTrimmed(corpusDir)];
}

async function bouncesClassed(corpusDir: string): Promise<Figure> {
  const reports = await readReports(resolve(corpusDir, 'bounces'));
  const classed = reports.filter(({ kind }) => kind === 'bounce' || kind === 'delay' || kind === 'complaint').length;
  return share('bounces classed as bounce, delay or complaint', classed, reports.length, 0.98);
}

async function othersSpared(corpusDir: string): Promise<Figure> {
  const folders = ['list-threads', 'messages'].map((folder) => readReports(resolve(corpusDir, folder)));
  const others = (await Promise.all(folders)).flat().filter(({ name }) => !TRUE_REPORT.test(name));
  const wrong = others.filter(({ kind }) => kind !== null).length;
  return { name: 'other mail taken for a report', got: `${wrong} of ${others.length}`, need: '<= 1', ok: wrong <= 1 };
}

function repliesTrimmed(corpusDir: string): Figure {
  const names = readdirSync(resolve(corpusDir, 'replies/emails'));
  const read = (folder: string, name: string) => readFileSync(resolve(corpusDir, 'replies', folder, name), 'utf8');
  const words = (text: string) => text.replace(/\s+/g, ' ').trim();
  const exact = names.filter((name) => words(trimReply(read('emails', name)).reply) === words(read('trimmed', name)));
  return share('replies trimmed exactly, up to white space', exact.length, names.length, 0.95);
}

async function readReports(folder: string): Promise<{ name: string; kind: string | null }[]> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return Promise.all(
    names.map(async (name) => {
      const mail = await parseMail(readFileSync(resolve(folder, name)));
      return { name, kind: readReport(mail)?.kind ?? null };
    }),
  );
}

function share(name: string, count: number, total: number, least: number): Figure {
  const percent = total === 0 ? 0 : (100 * count) / total;
  const ok = total > 0 && count >= least * total;
  return { name, got: `${count} of ${total} (${percent.toFixed(1)} %)`, need: `>= ${least * 100} %`, ok };
}

async function main(): Promise<void> {
  const corpusDir = resolve(import.meta.dirname, '..', process.env.CORPUS_DIR ?? '../shared/corpus');
  const missing = FOLDERS.filter((folder) => !existsSync(resolve(corpusDir, folder)));
  if (missing.length > 0) {
    console.error(
      `corpus: ${missing.join(', ')} not found in ${corpusDir}; set CORPUS_DIR to the folder of real mail.`,
    );
    process.exitCode = 1;
    return;
  }
  const figures = [...(await mailFigures(corpusDir)), ...(await ingestFigures(corpusDir))];
  console.table(figures);
  if (figures.some((figure) => !figure.ok)) process.exitCode = 1;
}

if (import.meta.main) await main();
