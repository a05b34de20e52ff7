// The monitoring of the Terraform module: the alert policies with their sections of docs/runbook.md, and
// queries that Cloud Monitoring accepts.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXAMPLES, readEvaluation } from '../test/terraform/evaluate.ts';
import type { Value } from '../test/terraform/expand.ts';

interface Query {
  timeSeriesFilter?: { filter: string; aggregation: { groupByFields: string[] } };
  prometheusQuery?: string;
}
interface Dashboard {
  mosaicLayout: {
    tiles: { widget: { title: string; xyChart: { dataSets: { timeSeriesQuery: Query }[] } } }[];
  };
}

const mapOf = (value: Value | undefined) => value as Record<string, Record<string, Value>>;

/** The queries of an example's dashboard, by the title of the chart. */
function chartsOf(example: (typeof EXAMPLES)[number]): Record<string, Query[]> {
  const { dashboard } = readEvaluation(example).settings;
  const { tiles } = (JSON.parse(dashboard as string) as Dashboard).mosaicLayout;
  return Object.fromEntries(
    tiles.map(({ widget: { title, xyChart } }) => [
      title,
      xyChart.dataSets.map(({ timeSeriesQuery }) => timeSeriesQuery),
    ]),
  );
}

describe('docs/runbook.md', () => {
  const runbook = readFileSync(new URL('../docs/runbook.md', import.meta.url), 'utf8');
  const sections = runbook.split(/^## /m).slice(1);
  const policies = mapOf(readEvaluation('production').settings.policies);

  it('has a section for each alert policy, to which the policy links, and no other', () => {
    const headings = sections.map((section) => section.split('\n')[0] ?? '');
    expect(headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-')).sort()).toEqual(
      Object.keys(policies).sort(),
    );
    for (const [key, { links, content, subject }] of Object.entries(policies)) {
      const url = `https://example.com/inquest/docs/runbook.md#${key}`;
      expect(links).toEqual([{ name: 'Runbook', url }]);
      expect(content).toContain(`](${url})`);
      expect(headings.map((heading) => `inquest-prod: ${heading}`)).toContain(subject);
    }
  });

  it.each(sections)('has symptom, query and fix in each section: %s', (section) => {
    expect(section).toMatch(/^\*\*Symptom\.\*\*[\s\S]*^\*\*Query\.\*\*[\s\S]*^```sh$[\s\S]*^\*\*Fix\.\*\*/m);
  });
});

describe.each(EXAMPLES)('the queries of the example %s', (example) => {
  const queries = Object.values(chartsOf(example)).flat();
  const policies = Object.values(mapOf(readEvaluation(example).settings.policies));

  it('name one type of resource and one type of metric in each filter', () => {
    const ofPolicies = policies.flatMap(({ absences, thresholds }) => [
      ...(absences as { filter: string }[]),
      ...(thresholds as { filter: string }[]),
    ]);
    const ofCharts = queries.flatMap(({ timeSeriesFilter }) => timeSeriesFilter ?? []);
    expect(ofCharts.length).toBeGreaterThan(0);
    expect(ofPolicies.length).toBeGreaterThan(0);
    for (const { filter } of [...ofPolicies, ...ofCharts]) {
      expect(filter.match(/\bmetric\.type="[\w./-]+"/g), filter).toHaveLength(1);
      expect(filter.match(/\bresource\.type="[\w./-]+"/g), filter).toHaveLength(1);
    }
  });

  it('count errors of an objective among all of it, and have alerts of two burn rates for each', () => {
    const { objectives, slo_service } = readEvaluation(example).settings;
    const burns = policies.flatMap((policy) => policy.burns as { filter: string; above: number }[]);
    for (const { name, total, bad } of Object.values(mapOf(objectives))) {
      expect(String(bad).startsWith(String(total))).toBe(true);
      for (const filter of [total, bad])
        expect(String(filter).match(/\b(metric|resource)\.type="[\w./-]+"/g)).toHaveLength(2);
      const path = `services/${slo_service}/serviceLevelObjectives/${name}"`;
      expect(burns.filter(({ filter }) => filter.includes(path)).map(({ above }) => above)).toEqual([10, 2]);
    }
    expect(burns).toHaveLength(4);
  });

  it('name the type of resource of a log-based metric in PromQL', () => {
    const ofPolicies = policies.flatMap(({ queries: all }) =>
      (all as { query: string }[]).map(({ query }) => query),
    );
    const ofCharts = queries.flatMap(({ prometheusQuery }) => prometheusQuery ?? []);
    expect([ofPolicies.length, ofCharts.length]).toEqual([1, 1]);
    for (const query of [...ofPolicies, ...ofCharts])
      expect(query).toMatch(/_tokens_sum\{monitored_resource="cloud_run_revision"\}\[1d\]/);
  });
});

it('shows documents read and documents written, each by the label that its metric has', () => {
  const shown = chartsOf('trial')['Documents read and written']?.map(({ timeSeriesFilter }) => [
    /document\/\w+/.exec(timeSeriesFilter?.filter ?? '')?.[0],
    timeSeriesFilter?.aggregation.groupByFields,
  ]);
  expect(shown).toEqual([
    ['document/read_ops_count', ['metric.label.type']],
    ['document/write_ops_count', ['metric.label.op']],
  ]);
});
