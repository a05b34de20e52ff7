// RCA100 (Alibaba Cloud): tasks with tables of telemetry. Its answers are distributed apart from the data.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asObject } from '../../text/json.ts';
import {
  at,
  findLabelMechanism,
  type ImportedCase,
  type Importer,
  readEach,
  readJson,
  tableTool,
  toPlainText,
} from './importedCase.ts';
import { parquetAsCsv } from './parquet.ts';

/**
 * The importer. It needs `answers.json` in the folder: by task, `root_cause_entities` and `root_cause_types`.
 * Tables are Parquet, CSV or JSON lines.
 */
export const RCA_100: Importer = {
  licence: 'CC BY-NC-SA 4.0',
  async read(source) {
    const answers = readJson(source, 'answers.json');
    return readEach(globSync('**/task.json', { cwd: source }), async (file) => {
      const folder = join(source, dirname(file));
      const name = basename(folder);
      const task = readJson(source, file);
      const answer = asObject(answers[toPlainText(task.task_id) || name]);
      const [entities, types] = [answer.root_cause_entities, answer.root_cause_types].map((value) =>
        Array.isArray(value) ? value.map(toPlainText) : [],
      );
      const mechanisms = (types ?? []).flatMap((type) => findLabelMechanism(type) ?? []);
      const causes = (entities ?? []).flatMap((component, index) => {
        const mechanism = mechanisms[index] ?? mechanisms[0];
        return mechanism === undefined ? [] : [{ component, mechanism }];
      });
      if (causes.length === 0) return { name, reason: 'answers.json has no cause for it' };
      const alertAt = new Date(
        toPlainText(at(task, 'alert_window', 'end')) || toPlainText(task.alert_trigger_time),
      );
      const files = readdirSync(folder);
      const tables = files.filter(
        (one) =>
          /\.(?:csv|jsonl)$/.test(one) ||
          (one.endsWith('.parquet') && !files.includes(one.replace(/parquet$/, 'csv'))),
      );
      const tools: ImportedCase['tools'] = [];
      for (const table of tables) {
        const path = join(folder, table);
        const text = table.endsWith('.parquet') ? await parquetAsCsv(path) : readFileSync(path, 'utf8');
        const tool = `telemetry.${table.replace(/\.\w+$/, '')}`;
        tools.push(tableTool(tool, 'Rows that contain all words of `contains`.', text, alertAt));
      }
      const topology = join(folder, 'topology.json');
      return {
        name,
        at: alertAt,
        causes,
        evidence: [],
        alert: {
          title: toPlainText(task.alert_title),
          severity: 'critical',
          labels: { cluster: 'bench', entity: toPlainText(at(task, 'alert_entity', 'entity_name')) },
        },
        tools: [
          ...tools,
          ...(existsSync(topology)
            ? [
                {
                  ...TOPOLOGY,
                  answers: [
                    { arguments: {}, text: readFileSync(topology, 'utf8'), error: false, timedOut: false },
                  ],
                },
              ]
            : []),
        ],
      };
    });
  },
};

const TOPOLOGY = {
  name: 'telemetry.topology',
  description: 'All entities and their relations, as JSON.',
  yields: 'state' as const,
};
