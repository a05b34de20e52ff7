// Cloud-OpsBench (github.com/LLM4Ops/Cloud-OpsBench): metadata.json and tool_cache.json in benchmark/.

import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { mechanismOfCause, mechanismRows } from '../../evidence/mechanisms.ts';
import { asObject, parseJson } from '../../text/json.ts';
import type { CaseTool, Truth } from '../caseFile.ts';
import {
  at,
  type ImportedCase,
  type Importer,
  k8s,
  readEach,
  readJson,
  type SkippedCase,
  toPlainText,
} from './importedCase.ts';

/** Kinds of `fault_object`, as `app/adservice`. */
const OBJECTS: Record<string, string> = { app: 'Deployment', node: 'Node', namespace: 'Namespace' };
/** Kinds by the names that its tools take. */
const KINDS = new Map(
  [
    ...[
      'Pod',
      'Service',
      'Deployment',
      'StatefulSet',
      'DaemonSet',
      'ReplicaSet',
      'Job',
      'Event',
      'Node',
      'Secret',
    ],
    ...['ConfigMap', 'Ingress', 'NetworkPolicy', 'ServiceAccount', 'Endpoints', 'ResourceQuota', 'Namespace'],
    ...['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'RoleBinding'],
  ].flatMap((kind) => {
    const name = kind.toLowerCase();
    return [name, name.replace(/(?<!s)$/, 's'), name.replace(/s$/, 'ses'), name.replace(/y$/, 'ies')].map(
      (one) => [one, kind] as const,
    );
  }),
);
const CLUSTER_WIDE = new Set(['Node', 'Namespace', 'PersistentVolume', 'StorageClass']);
const STATE = /^(?:GetResources|DescribeResource)$/;
/** A time as `describe` prints it: the only place where a case has its zone. */
const ZONE = /\w{3}, \d\d \w{3} \d{4} [\d:]{8} ([+-]\d\d)(\d\d)/;

/** The importer. Its cache of calls becomes recorded answers, and the calls of its experts the steps. */
export const CLOUD_OPS_BENCH: Importer = {
  licence: 'as Cloud-OpsBench',
  read: (source) =>
    readEach(globSync('**/metadata.json', { cwd: source }), (file) => readCloudOpsCase(source, file)),
};

/**
 * Reads a case.
 * @param file its metadata.json, below `source`.
 * @throws TerminalError `CASE_INVALID` with the file that cannot be read.
 */
export function readCloudOpsCase(source: string, file: string): ImportedCase | SkippedCase {
  const name = dirname(file).replaceAll(/[^\w.-]+/g, '-');
  const metadata = readJson(source, file);
  const namespace = toPlainText(metadata.namespace) || 'default';
  const label = toPlainText(at(metadata, 'result', 'root_cause'));
  const [kind = '', object = ''] = toPlainText(at(metadata, 'result', 'fault_object')).split('/');
  const mechanism = mechanismOfCause(label);
  if (mechanism === undefined || object === '')
    return { name, reason: `"${label}" is none of its 49 causes` };
  const { collection_timestamp: stamp, ...cache } = readJson(source, dirname(file), 'tool_cache.json');
  const calls = Object.entries(cache).flatMap(([key, value]) => {
    const [, tool, args = '{}'] = /^(\w+)(?::(\{[\s\S]*\}))?$/.exec(key) ?? [];
    if (tool === undefined) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [
      { tool, answer: { arguments: normalizeCachedArguments(args), text, error: false, timedOut: false } },
    ];
  });
  const zone = calls.flatMap(({ answer }) => ZONE.exec(answer.text)?.slice(1, 3).join(':') ?? [])[0] ?? 'Z';
  const tools = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, own]) => ({
    name: `cloudops.${tool}`,
    description: `${tool} of the cluster "bench", as it was at the alert. resource_type: a kind, as Pod.`,
    yields: STATE.test(tool) ? ('state' as const) : ('text' as const),
    ...(STATE.test(tool) && { fields: 'kubernetes' }),
    parameters: [...new Set(own.flatMap(({ answer }) => Object.keys(answer.arguments)))],
    answers: own.map(({ answer }) => answer),
  }));
  const steps = readExpertSteps(metadata, calls);
  return {
    name,
    at: new Date(`${toPlainText(stamp) || '2026-01-01T00:00:00'}${zone}`),
    tools,
    steps: steps.map(({ tool, answer }) => ({ tool: `cloudops.${tool}`, arguments: answer.arguments })),
    evidence: findEvidencePhrases(
      label,
      steps.map(({ answer }) => answer.text),
    ),
    alert: {
      title: toPlainText(metadata.query),
      severity: 'critical',
      labels: { cluster: 'bench', namespace },
    },
    causes: [
      {
        component: k8s(kind === 'app' ? namespace : '-', OBJECTS[kind] ?? kind, object),
        mechanism,
        also: [object],
        label,
      },
    ],
  };
}

interface Call {
  tool: string;
  answer: CaseTool['answers'][number];
}

/** The arguments of a cached call: kinds by their names, and no empty ones. */
function normalizeCachedArguments(json: string): Record<string, unknown> {
  const { resource_type: type, ...given } = asObject(parseJson(json));
  const kind = KINDS.get(toPlainText(type)) ?? toPlainText(type);
  const filled = Object.entries({ ...(kind !== '' && { resource_type: kind }), ...given });
  return Object.fromEntries(
    filled.filter(([name, value]) => value !== '' && !(name === 'namespace' && CLUSTER_WIDE.has(kind))),
  );
}

/** The calls of an expert's first path, as `DescribeResource::pods::adservice`; pods by application. */
function readExpertSteps(metadata: object, calls: readonly Call[]): Call[] {
  const path = at(metadata, 'process', 'path1');
  return (Array.isArray(path) ? path.map(toPlainText) : []).flatMap((step) => {
    const [tool, ...values] = step.split('::');
    const wanted = values.filter((value) => value !== '').map((value) => KINDS.get(value) ?? value);
    const isStep = ({ tool: own, answer }: Call) => {
      const {
        namespace: _,
        output_wide,
        show_labels,
        output_yaml,
        label_selector,
        ...given
      } = answer.arguments;
      const isPlain = [output_wide, show_labels, output_yaml, label_selector].every(
        (one) => one === undefined,
      );
      const texts = Object.values(given).map(String);
      const isNamed = (value: string, index: number) =>
        texts[index] === value || texts[index]?.replace(/-[a-z0-9]{6,10}-[a-z0-9]{5}$/, '') === value;
      return own === tool && isPlain && texts.length === wanted.length && wanted.every(isNamed);
    };
    return calls.find(isStep) ?? [];
  });
}

/** The phrases of the cause's mechanism that the answers of an expert's calls contain. */
function findEvidencePhrases(label: string, texts: readonly string[]): Truth['evidence'] {
  const words = mechanismRows().flatMap((row) => (row.causes.includes(label) ? row.words : []));
  return words.filter((word) => word.length >= 8 && texts.some((text) => text.includes(word)));
}
