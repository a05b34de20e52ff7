// OpenRCA (github.com/microsoft/OpenRCA): query.csv and record.csv of a system, with its telemetry by day.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseCsv } from '../../config/csv.ts';
import { TerminalError } from '../../core/errors.ts';
import { findLabelMechanism, type Importer, readEach, tableTool, toPlainText } from './importedCase.ts';

/**
 * The importer. A question has one cause or several, from `scoring_points`; those that ask for no component
 * or no reason are skipped. The telemetry of the day becomes tools that search rows.
 */
export const OPEN_RCA: Importer = {
  licence: 'CC BY 4.0, see OpenRCA',
  read: (source) =>
    readEach(globSync('**/query.csv', { cwd: source }), (file) => {
      const system = join(source, dirname(file));
      const [head = [], ...rows] = csvRows(readFileSync(join(source, file), 'utf8'), file);
      return rows.map((row, index) => {
        const field = (name: string) => row[head.indexOf(name)] ?? '';
        const name = `${basename(system)}-${index}`;
        const [components, reasons] = ['component', 'reason'].map((kind) => {
          const found = field('scoring_points').matchAll(
            new RegExp(`predicted root cause ${kind} is ([^\\n]+)`, 'g'),
          );
          return [...found].map(([, value]) => toPlainText(value).trim());
        });
        const causes = (components ?? []).flatMap((component, at) => {
          const mechanism = findLabelMechanism(reasons?.[at] ?? '');
          return mechanism === undefined ? [] : [{ component, mechanism }];
        });
        const day = parseQuestionDay(field('instruction'));
        const folder = join(system, 'telemetry', day?.folder ?? '');
        if (
          causes.length === 0 ||
          causes.length !== components?.length ||
          day === undefined ||
          !existsSync(folder)
        )
          return {
            name,
            reason: 'it does not ask for component and reason, or has no telemetry of its day',
          };
        return {
          name,
          at: day.at,
          causes,
          evidence: [],
          alert: {
            title: field('instruction'),
            severity: 'critical',
            labels: { system: basename(system) },
          },
          tools: globSync('{log,metric,trace}/*.csv', { cwd: folder })
            .sort()
            .map((table) =>
              tableTool(
                `telemetry.${table.replace(/\.csv$/, '').replaceAll(/\W+/g, '_')}`,
                'Rows that contain all words of `contains`.',
                readFileSync(join(folder, table), 'utf8'),
                day.at,
              ),
            ),
        };
      });
    }),
};

function csvRows(text: string, file: string): string[][] {
  const read = parseCsv(text);
  if (read.ok) return read.records.map(({ fields }) => fields);
  throw new TerminalError('CASE_INVALID', `${file}, line ${read.line}: ${read.message}`);
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** The day of a question: `March 4, 2021`, and the end of its range. Times of OpenRCA are in UTC+8. */
function parseQuestionDay(instruction: string): { folder: string; at: Date } | undefined {
  const [, month = '', day = '', year = ''] = /([A-Z][a-z]+) (\d{1,2}), (\d{4})/.exec(instruction) ?? [];
  const index = MONTHS.indexOf(month.toLowerCase());
  if (index === -1) return undefined;
  const pad = (value: number | string) => String(value).padStart(2, '0');
  const times = [...instruction.matchAll(/\b(\d{1,2}:\d{2})(?::\d{2})?\b/g)].map(([, time]) => time ?? '');
  const at = new Date(
    `${year}-${pad(index + 1)}-${pad(day)}T${(times.at(-1) ?? '23:59').padStart(5, '0')}:00+08:00`,
  );
  return { folder: `${year}_${pad(index + 1)}_${pad(day)}`, at };
}
