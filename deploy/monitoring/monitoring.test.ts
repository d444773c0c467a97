import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../test/harness/harness.ts';
import { call, makeOwner } from '../../test/worlds/factories.ts';
import { putMailbox } from '../../test/worlds/put-mailbox.ts';
import { faultsOfQuery, type KnownMetrics, readMetrics } from './queries.ts';

const house = useHouse();
const path = (name: string) => join(import.meta.dirname, name);
const alerts = readFileSync(path('alerts.yaml'), 'utf8');
const dashboard = JSON.parse(readFileSync(path('grafana-dashboard.json'), 'utf8')) as Dashboard;

type Panel = { title: string; targets?: { expr: string }[]; gridPos: { x: number; y: number; w: number; h: number } };
type Dashboard = { panels: Panel[]; templating: { list: { definition?: string }[] } };

let known: KnownMetrics;
beforeAll(async () => {
  const owner = await makeOwner(house);
  await putMailbox(house, {
    workspaceId: owner.workspaceId,
    provider: 'mail-b',
    address: 'a@x.example',
    refreshToken: 'x',
  });
  await owner.call('GET', '/tickets');
  known = readMetrics((await call(house, 'GET', '/metrics')).body);
  // Prometheus makes these itself.
  for (const [, labels] of known) for (const label of ['instance', 'job', 'process']) labels.add(label);
  known.set('up', new Set(['instance', 'job']));
});

const rules = alerts.split(/^ {6}- alert: /m).slice(1);
const field = (rule: string, name: string) => new RegExp(`^ +${name}: (.+)$`, 'm').exec(rule)?.[1] ?? '';
const exprOf = (rule: string) => field(rule, 'expr').replace(/^'|'$/g, '').replaceAll("''", "'");

describe.each(rules.map((rule) => ({ name: rule.split('\n')[0] ?? '', rule })))('the alert $name', ({ rule }) => {
  test('asks for metrics that the service has', () => {
    expect(exprOf(rule)).not.toBe('');
    expect(faultsOfQuery(exprOf(rule), known)).toEqual([]);
  });

  test('says what happened, what to do, and how urgent it is', () => {
    expect(field(rule, 'for')).toMatch(/^\d+[mh]$/);
    expect(rule).toMatch(/labels: \{ severity: (critical|warning) \}/);
    expect(field(rule, 'summary').length).toBeGreaterThan(15);
    expect(field(rule, 'description').length).toBeGreaterThan(30);
    const labels = [...rule.matchAll(/\$labels\.(\w+)/g)].map((match) => match[1] ?? '');
    for (const label of labels) expect(exprOf(rule)).toMatch(new RegExp(`by \\([^)]*${label}|${label}=`));
  });
});

const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

test.each(queries)('the panel "$title" asks for metrics that the service has: $expr', ({ expr }) => {
  expect(faultsOfQuery(expr, known)).toEqual([]);
});

test('the choice of instances asks for a metric that the service has', () => {
  const [definition = ''] = dashboard.templating.list.flatMap(({ definition: text }) => text ?? []);
  expect(known.has(/label_values\((\w+), instance\)/.exec(definition)?.[1] ?? '')).toBe(true);
});

test('panels do not overlap', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)}:${y + Math.floor(at / w)}`),
  );
  expect(cells.length).toBeGreaterThan(500);
  expect(new Set(cells).size).toBe(cells.length);
});

test('each metric of Kontor is on the dashboard or in an alert', () => {
  const all = [...rules.map(exprOf), ...queries.map(({ expr }) => expr)].join('\n');
  const ours = [...known.keys()].filter((name) => /^kontor_(?!.*(_bucket|_sum|_count)$)/.test(name));
  expect(ours.length).toBeGreaterThan(10);
  expect(ours.filter((name) => !all.includes(name))).toEqual([]);
});

test.each([
  ['a misspelt metric', 'sum(kontor_jobz{state="due"})', ['kontor_jobz is no metric']],
  ['a misspelt label', 'sum(kontor_jobs{stage="due"})', ['kontor_jobs has no label stage']],
  ['a label of a sum', 'sum by (stage) (rate(kontor_jobs[5m]))', ['no metric of the query has a label stage']],
  ['an open parenthesis', 'sum(kontor_jobs', ['its parentheses do not match']],
])('the check finds %s', (_what, query, faults) => {
  expect(faultsOfQuery(query, known)).toEqual(faults);
});

test.skipIf(spawnSync('which', ['promtool']).status !== 0)('promtool accepts the rules', () => {
  expect(spawnSync('promtool', ['check', 'rules', path('alerts.yaml')]).status).toBe(0);
});
