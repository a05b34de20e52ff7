// RCA100 (Alibaba Cloud): tasks with tables of telemetry. Its answers are distributed apart from the data.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TerminalError } from '../../errors.ts';
import { asObject } from '../../text/json.ts';
import { at, type Importer, mechanismOf, readEach, readJson, tableTool, textOf } from './importedCase.ts';

/**
 * The importer. It needs `answers.json` in the folder: by task, `root_cause_entities` and `root_cause_types`. Tables are CSV or
 * JSON lines; Parquet has to be converted before.
 */
export const RCA_100: Importer = {
  licence: 'CC BY-NC-SA 4.0',
  read(source) {
    const answers = readJson(source, 'answers.json');
    return readEach(globSync('**/task.json', { cwd: source }), (file) => {
      const folder = join(source, dirname(file));
      const name = basename(folder);
      const task = readJson(source, file);
      const answer = asObject(answers[textOf(task.task_id) || name]);
      const [entities, types] = [answer.root_cause_entities, answer.root_cause_types].map((value) =>
        Array.isArray(value) ? value.map(textOf) : [],
      );
      const mechanisms = (types ?? []).flatMap((type) => mechanismOf(type) ?? []);
      const causes = (entities ?? []).flatMap((component, index) => {
        const mechanism = mechanisms[index] ?? mechanisms[0];
        return mechanism === undefined ? [] : [{ component, mechanism }];
      });
      if (causes.length === 0) return { name, reason: 'answers.json has no cause for it' };
      const tables = readdirSync(folder).filter((one) => /\.(?:csv|jsonl)$/.test(one));
      const parquet = readdirSync(folder).find((one) => one.endsWith('.parquet'));
      if (parquet !== undefined && !tables.includes(parquet.replace('.parquet', '.csv')))
        throw new TerminalError(
          'CASE_INVALID',
          `${join(folder, parquet)} is Parquet; convert it: duckdb -c "COPY '${parquet}' TO '${parquet.replace('.parquet', '.csv')}'"`,
        );
      const topology = join(folder, 'topology.json');
      return {
        name,
        at: new Date(textOf(at(task, 'alert_window', 'end')) || textOf(task.alert_trigger_time)),
        causes,
        evidence: [],
        alert: {
          title: textOf(task.alert_title),
          severity: 'critical',
          labels: { cluster: 'bench', entity: textOf(at(task, 'alert_entity', 'entity_name')) },
        },
        tools: [
          ...tables.map((table) =>
            tableTool(
              `telemetry.${table.replace(/\.\w+$/, '')}`,
              'Rows that contain all words of `contains`.',
              readFileSync(join(folder, table), 'utf8'),
            ),
          ),
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
