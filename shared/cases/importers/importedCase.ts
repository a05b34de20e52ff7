// Parts of all importers of benchmarks: reading files, names of mechanisms, shape of an imported case.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { TerminalError } from '../../core/errors.ts';
import type { CaseTool, Truth } from '../caseFile.ts';

/** A case of a benchmark, before it is written. */
export interface ImportedCase {
  /** Name of the folder; no agent sees it. */
  name: string;
  at: Date;
  alert: { title: string; severity: string; labels: Record<string, string>; summary?: string };
  tools: (Pick<CaseTool, 'name' | 'description'> & Partial<CaseTool>)[];
  causes: { component: string; mechanism: string; also?: string[]; label?: string }[];
  /** Calls that lead to the evidence. Absent: the benchmark names none. */
  steps?: Truth['steps'];
  /** Lines that the benchmark itself names as evidence; none if it names none. */
  evidence: string[];
}

/** A case that cannot be used, and why. */
export interface SkippedCase {
  name: string;
  reason: string;
}

/** Reads the cases of one benchmark from a folder with its files. */
export interface Importer {
  /** For people: the licence of the data. */
  licence: string;
  /** @throws TerminalError `CASE_INVALID` with the file that cannot be read. */
  read(source: string): (ImportedCase | SkippedCase)[] | Promise<(ImportedCase | SkippedCase)[]>;
}

/** Reads the cases of each file; a file that cannot be read is a skipped case. */
export async function readEach(
  files: readonly string[],
  read: (file: string) => Read | Promise<Read>,
): Promise<(ImportedCase | SkippedCase)[]> {
  const found: (ImportedCase | SkippedCase)[] = [];
  for (const file of files.toSorted()) {
    try {
      found.push(...[await read(file)].flat());
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      found.push({ name: file, reason: error.message });
    }
  }
  return found;
}

type Read = ImportedCase | SkippedCase | (ImportedCase | SkippedCase)[];

/** Words of public labels, and the mechanism that they name. The first that matches counts. */
const MECHANISM_WORDS: readonly [RegExp, string][] = [
  [/quota/i, 'quota'],
  [/certificate|\bcert|tls|x509/i, 'certificate'],
  [/dns|name.?resolution/i, 'dns'],
  [/oom|memory|heap|full.?gc/i, 'memory'],
  [/cpu|busy.?loop|dead.?loop|throttl/i, 'cpu'],
  [/disk|storage|pvc?\b|pv(?=[A-Z_])|volume|file.?(?:reads|writes)|inode/i, 'disk'],
  [/service.?account|permission|rbac|scc\b|forbidden|credential|access|secret|denied/i, 'permission'],
  [/connection.?(?:pool|exhaust|saturation)|thread.?exhaust|connections/i, 'connections'],
  [/schedul|affinity|taint|cordon|node.?selector|pending|capacity/i, 'scheduling'],
  [/image|release|rollout|code|null.?pointer|defect|wrong.?(?:return|argument)/i, 'release'],
  [/\block|deadlock/i, 'lock'],
  [/unavailable|node.?down|^pod ?crash ?loop$|terminat|zero replicas|scale.?down|outage/i, 'dependency_down'],
  [/latency|delay|slow/i, 'dependency_slow'],
  [/network|packet|partition|mesh/i, 'network'],
  [/traffic|surge|load|backlog|rate.?limit/i, 'load'],
  [/probe|config|env|port|selector|protocol|misroute|flag/i, 'config'],
  [/read.?only|data|schema/i, 'data'],
  [/hardware/i, 'hardware'],
];

/** The mechanism that a label or sentence of a benchmark names; undefined if it is not in the list. */
export function findLabelMechanism(label: string): string | undefined {
  const spaced = label.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return MECHANISM_WORDS.find(([words]) => words.test(spaced) || words.test(label))?.[1];
}

/** The JSON of a file as an object. @throws TerminalError `CASE_INVALID` */
export function readJson(...path: string[]): Record<string, unknown> {
  return readObject(join(...path), JSON.parse);
}

/** The YAML of a file as an object. @throws TerminalError `CASE_INVALID` */
export function readYaml(...path: string[]): Record<string, unknown> {
  return readObject(join(...path), parse);
}

function readObject(file: string, read: (text: string) => unknown): Record<string, unknown> {
  if (!existsSync(file)) throw new TerminalError('CASE_INVALID', `${file} is missing`);
  let value: unknown;
  try {
    value = read(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new TerminalError('CASE_INVALID', `${file}: ${String(error).split('\n')[0]}`);
  }
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new TerminalError('CASE_INVALID', `${file} is no object`);
}

/** The value at a path of keys; undefined where one is missing. */
export function at(value: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
}

/** A text; empty for any other value. */
export const toPlainText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The canonical name of a Kubernetes resource of a benchmark, whose cluster is called `bench`. */
export const k8s = (namespace: string, kind: string, name: string): string =>
  `k8s:bench/${namespace || '-'}/${kind}/${name}`;

/** Rows of a table that a case holds at most: those nearest to the alert. Benchmarks have up to gigabytes. */
const MAX_ROWS = 2_000;

/** A tool that searches lines of a table. @param name `server.tool` @param alertAt time of the alert. */
export function tableTool(
  name: string,
  description: string,
  text: string,
  alertAt: Date,
): ImportedCase['tools'][number] {
  const [head = '', ...rows] = text.trimEnd().split('\n');
  const kept = nearestRows(rows, alertAt.getTime());
  const cut =
    rows.length > kept.length ? ` The ${kept.length} of ${rows.length} rows nearest to the alert.` : '';
  return {
    name,
    description: `${description}${cut} Columns: ${head}`.slice(0, 1_000),
    rows: [head, ...kept].join('\n'),
    parameters: ['contains', 'limit'],
  };
}

/** The rows whose times are nearest to a time, in their order; the first ones where rows have no time. */
function nearestRows(rows: readonly string[], at: number): string[] {
  if (rows.length <= MAX_ROWS) return [...rows];
  const distances = rows.map((row, index) => ({
    index,
    distance: Math.abs((parseRowTime(row) ?? Infinity) - at),
  }));
  const nearest = distances.toSorted((a, b) => a.distance - b.distance);
  const kept = new Set(nearest.slice(0, MAX_ROWS).map(({ index }) => index));
  return rows.filter((_, index) => kept.has(index));
}

/** The first time in a row, in milliseconds: ISO 8601 (UTC without zone), or seconds to nanoseconds. */
function parseRowTime(row: string): number | undefined {
  const [iso, epoch] = [
    /\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/.exec(row)?.[0],
    /(?<![\w.-])1\d{9}(?:\d{3}){0,3}(?![\w-])/.exec(row)?.[0],
  ];
  if (iso !== undefined)
    return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso.replace(' ', 'T')}Z`);
  return epoch === undefined ? undefined : Number(epoch.slice(0, 13).padEnd(13, '0'));
}

/** A minute after the newest time in texts, so that their lines are evidence; else a fixed time. */
export function newestTime(texts: readonly string[]): Date {
  const stamps = texts.flatMap((text) => text.match(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d/g) ?? []);
  const newest = stamps.reduce((one, other) => (other > one ? other : one), '');
  return new Date(Date.parse(`${stamps.length > 0 ? newest : '2026-01-01T00:00:00'}Z`) + 60_000);
}
