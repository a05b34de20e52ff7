// Cloud-OpsBench (github.com/LLM4Ops/Cloud-OpsBench): folders with metadata.json and tool_cache.json, below benchmark/.

import { globSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { parseJson } from '../../text/json.ts';
import { at, type Importer, k8s, mechanismOf, readEach, readJson, textOf } from './importedCase.ts';

/** Kinds of `fault_object`, as `app/adservice`. */
const KINDS: Record<string, string> = {
  app: 'Deployment',
  service: 'Service',
  node: 'Node',
  namespace: 'Namespace',
  pod: 'Pod',
};
const STATE = /^(?:GetResources|DescribeResource|GetAppYAML|GetClusterConfiguration|Check)/;

/** The importer. Its cache of calls becomes recorded answers. The benchmark names no lines of evidence. */
export const CLOUD_OPS_BENCH: Importer = {
  licence: 'as Cloud-OpsBench',
  read: (source) =>
    readEach(globSync('**/metadata.json', { cwd: source }), (file) => {
      const name = dirname(file).replaceAll(/[^\w.-]+/g, '-');
      const metadata = readJson(source, file);
      const namespace = textOf(metadata.namespace) || 'default';
      const cause = textOf(at(metadata, 'result', 'root_cause'));
      const [kind = '', object = ''] = textOf(at(metadata, 'result', 'fault_object')).split('/');
      const mechanism = mechanismOf(cause) ?? mechanismOf(textOf(at(metadata, 'result', 'fault_taxonomy')));
      if (mechanism === undefined || object === '')
        return { name, reason: `no mechanism for ${cause || relative(source, file)}` };
      const { collection_timestamp: stamp, ...cache } = readJson(source, dirname(file), 'tool_cache.json');
      const calls = Object.entries(cache).flatMap(([key, text]) => {
        const [, tool, args] = /^(\w+):(\{[\s\S]*\})$/.exec(key) ?? [];
        if (tool === undefined || typeof text !== 'string') return [];
        const given = parseJson(args ?? '') as Record<string, unknown>;
        return [{ tool, answer: { arguments: given, text, error: false, timedOut: false } }];
      });
      const tools = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, own]) => ({
        name: `cloudops.${tool}`,
        description: `${tool} of the cluster "bench", as it was at the alert.`,
        yields: STATE.test(tool) ? ('state' as const) : ('text' as const),
        parameters: [...new Set(own.flatMap(({ answer }) => Object.keys(answer.arguments)))],
        answers: own.map(({ answer }) => answer),
      }));
      const own = k8s(namespace, KINDS[kind] ?? 'Deployment', object);
      return {
        name,
        at: new Date(`${textOf(stamp) || '2026-01-01T00:00:00'}Z`),
        tools,
        evidence: [],
        alert: {
          title: textOf(metadata.query),
          severity: 'critical',
          labels: { cluster: 'bench', namespace },
        },
        causes: [{ component: own, mechanism, also: [object] }],
      };
    }),
};
