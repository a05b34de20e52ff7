// ITBench (github.com/itbench-hub/ITBench): scenarios with truth, and telemetry snapshots as tables.

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { asObject } from '../../text/json.ts';
import {
  at,
  findLabelMechanism,
  type Importer,
  k8s,
  newestTime,
  readEach,
  readYaml,
  tableTool,
  toPlainText,
} from './importedCase.ts';

/** The importer. Each table (.tsv, .csv, .jsonl) of a snapshot becomes a tool that searches its rows. */
export const IT_BENCH: Importer = {
  licence: 'Apache-2.0',
  read: (source) =>
    readEach(globSync('**/{ground_truth,groundtruth,groundtruth_v1}.yaml', { cwd: source }), (file) => {
      const folder = join(source, dirname(file));
      const name = dirname(file).replaceAll(/[^\w.-]+/g, '-');
      const truth = readYaml(source, file);
      const tables = readdirSync(folder).filter((one) => ['.tsv', '.csv', '.jsonl'].includes(extname(one)));
      const groups = toObjectList(truth.groups);
      const causes = toObjectList(truth.fault).flatMap((fault) => {
        const id = toPlainText(at(fault, 'entity', 'group_id')) || toPlainText(at(fault, 'entity', 'name'));
        const mechanism =
          findLabelMechanism(toPlainText(fault.fault_mechanism)) ??
          findLabelMechanism(toPlainText(fault.condition));
        const aliases = (Array.isArray(truth.aliases) ? truth.aliases : []).find(
          (list) => Array.isArray(list) && list.includes(id),
        ) as string[] | undefined;
        const names = [id, ...(aliases ?? [])].flatMap((one) => listGroupComponents(groups, one));
        return mechanism === undefined || names[0] === undefined
          ? []
          : [{ component: names[0], mechanism, also: names.slice(1) }];
      });
      const [alert] = toObjectList(truth.alerts);
      if (causes.length === 0 || tables.length === 0)
        return {
          name,
          reason: tables.length === 0 ? 'it has no snapshot of telemetry' : 'its fault names no mechanism',
        };
      const alertAt = newestTime(tables.map((table) => readFileSync(join(folder, table), 'utf8')));
      return {
        name,
        at: alertAt,
        causes,
        evidence: [],
        // Descriptions of its alerts belong to the truth: they explain the fault.
        alert: {
          title: toPlainText(alert?.id) || 'Incident',
          severity: 'critical',
          labels: {
            cluster: 'bench',
            namespace: toPlainText(groups.find((one) => one.namespace)?.namespace) || 'default',
          },
        },
        tools: tables.map((table) =>
          tableTool(
            `snapshot.${table.slice(0, -extname(table).length).replaceAll(/[^\w]+/g, '_')}`,
            'Rows that contain all words of `contains`.',
            readFileSync(join(folder, table), 'utf8'),
            alertAt,
          ),
        ),
      };
    }),
};

const toObjectList = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(asObject) : [];

/** The names of a group: its filter is a pattern, of which the plain part is the name. */
function listGroupComponents(groups: readonly Record<string, unknown>[], id: string): string[] {
  const group = groups.find((one) => one.id === id);
  if (group === undefined) return [];
  const filters = Array.isArray(group.filter) ? group.filter.map(toPlainText) : [];
  return filters.map((filter) => {
    const plain = filter.replace(/\\b|-?\.\*|[\^$]/g, '');
    return k8s(toPlainText(group.namespace), toPlainText(group.kind), plain);
  });
}
