// Edges in text that workloads and their authors write: errors of connections in logs, and addresses in the
// environment of a specification. All of them are only `seen`. Pure.

import type { FoundEdge } from '../../kits/topology/topology.ts';
import { hostName, readName, subjectOfLine, type Workload, workloadName } from './names.ts';

/** Characters of a line that are read. */
const MAX_LINE = 2_000;
const FAILED =
  /refused|time[ds]? ?-?out|timeout|unreachable|no such host|unknown ?host|ENOTFOUND|ECONN|EAI_AGAIN|reset by|unavailable|fail(?:ed|ure)|error|exception|could ?n[o']t|cannot|can't|deadline/i;
/** Errors of the node, which fetches images and logs: no workload asks there. */
const OF_NODE = /:10250\b|pull(?:ing)? image|\/v2\//i;
const H = '([a-z0-9][-a-z0-9.]{0,252})';
/** Where an error names the other side. */
const SIDES = [
  new RegExp(`\\blookup ${H}`, 'gi'),
  new RegExp(`\\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ECONNRESET) ${H}`, 'g'),
  new RegExp(`UnknownHostException: ${H}`, 'g'),
  new RegExp(`\\b(?:host(?: ?name)?|server (?:at|on)) ["']${H}["']`, 'gi'),
  new RegExp(
    `\\b(?:get|post|put|patch|delete|head|request|call(?:ing)?|connect\\w*|reach\\w*|fetch\\w*|ur[il]|upstream|endpoint|dial\\w*|to|from|for|on)["'\\\\:=\\s([]{1,4}(?:jdbc:)?[a-z][a-z0-9+]{1,15}://(?:[^\\s/@"']{0,100}@)?${H}`,
    'gi',
  ),
  new RegExp(
    `\\b(?:to|dial tcp|host|address|upstream|broker|server(?: at| on)?|redis at|connect(?:ion)?|reach)["'\\\\:=\\s([]{1,4}${H}:\\d{2,5}\\b`,
    'gi',
  ),
];

/** Keys of an environment whose values are addresses of others. */
const ADDRESS_KEY =
  /(?:ADDR(?:ESS)?|HOST(?:NAME)?|UR[IL]|ENDPOINT|SERVER|BROKER|DSN|SERVICE|BOOTSTRAP\w{0,30})(?:E?S)?$/;
/** Of these also values without a port: others can hold a name of something else. */
const HOST_KEY = /(?:ADDR(?:ESS)?|HOST(?:NAME)?)$/;
/** Workloads work without these. */
const TELEMETRY_KEY = /^(?:OTEL|OTLP|COLLECTOR|JAEGER|ZIPKIN|STATSD|DD|SENTRY|PROMETHEUS)_/;
const ADDRESS =
  /^(?:(?:jdbc:)?[a-z][a-z0-9+.]*:\/\/)?(?:[^@/\s]*@)?([a-z0-9][-a-z0-9.]*)(:\d{2,5})?(?=[/?,]|$)/i;
const WORKLOADS = /^(?:Pod|Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob|Rollout)$/;

/** The edges of lines. @param subject the workload that the call asks about. */
export function* edgesOfLines(text: string, subject: Workload | undefined): Generator<FoundEdge> {
  const spec = new SpecReader(subject);
  let number = 0;
  for (const whole of text.split('\n')) {
    number++;
    const address = spec.read(whole.slice(0, MAX_LINE));
    if (address !== undefined) {
      yield* calls(address.from, address.hosts, number);
      continue;
    }
    // Of JSON a line can hold a whole log.
    for (const part of whole.split(ESCAPED_BREAK)) {
      const line = part.slice(0, MAX_LINE);
      const from = FAILED.test(line) && !OF_NODE.test(line) ? (subject ?? subjectOfLine(line)) : undefined;
      if (from !== undefined) yield* calls(from, findSides(line), number);
    }
  }
}

const ESCAPED_BREAK = /\\n|","|\},\{/;

const findSides = (line: string): string[] =>
  SIDES.flatMap((side) => [...line.matchAll(side)].map(([, host]) => host ?? ''));

const SOURCE_FILE = /\.(?:go|java|kt|py|js|mjs|ts|rb|c|cc|cpp|h|rs|cs|php|sh|scala)$/;

function* calls(from: Workload, hosts: readonly string[], line: number): Generator<FoundEdge> {
  const own = workloadName(from);
  for (const host of new Set(hosts)) {
    const to = SOURCE_FILE.test(host) ? undefined : hostName(host, from);
    if (to !== undefined) yield { from: own, to, how: 'calls', by: 'seen', line };
  }
}

/**
 * Reads the environment of containers, in YAML, in JSON of one value a line, or as `kubectl describe` has it.
 */
class SpecReader {
  #kind: string | undefined;
  #metadata = -1;
  #key: string | undefined;
  #described = false;
  #owner: Workload | undefined;
  readonly #subject: Workload | undefined;

  constructor(subject: Workload | undefined) {
    this.#subject = subject;
  }

  /** The addresses of a line; undefined for one without. */
  read(line: string): { from: Workload; hosts: string[] } | undefined {
    const [, space = '', key = '', value = ''] =
      /^([\s-]*)"?([\w.]+)"?:\s*["']?([^"'\s]*)["']?,?\s*\{?$/.exec(line) ?? [];
    if (key === '') return undefined;
    const described = this.#describe(space, key, value);
    if (described !== undefined) return described;
    const indent = space.length;
    if (key === 'kind' && (this.#metadata < 0 || indent <= this.#metadata)) this.#kind = value;
    if (key === 'metadata' && value === '') this.#metadata = indent;
    const isNamed = key === 'name' && readName(value) !== undefined;
    if (isNamed && this.#metadata >= 0 && indent > this.#metadata && indent <= this.#metadata + 4) {
      const isWorkload = WORKLOADS.test(this.#kind ?? '');
      this.#owner = isWorkload ? { ...this.#subject, name: value, kind: this.#kind } : undefined;
    } else if (key === 'namespace' && this.#owner !== undefined && readName(value) !== undefined)
      this.#owner = { ...this.#owner, namespace: value };
    if (key === 'spec') this.#metadata = -1;
    if (key === 'value') return this.#address(value);
    this.#key = key === 'name' && /^[A-Z][A-Z0-9_]+$/.test(value) ? value : undefined;
    return undefined;
  }

  #describe(space: string, key: string, value: string): { from: Workload; hosts: string[] } | undefined {
    if (space === '' && key === 'Name') {
      this.#described = true;
      this.#owner = readName(value) === undefined ? undefined : { ...this.#subject, name: value };
    } else if (space === '' && key === 'Namespace' && this.#described && this.#owner)
      this.#owner = { ...this.#owner, namespace: value };
    else if (this.#described && space !== '' && /^[A-Z][A-Z0-9_]+$/.test(key)) {
      this.#key = key;
      return this.#address(value);
    }
    return undefined;
  }

  #address(value: string): { from: Workload; hosts: string[] } | undefined {
    const key = this.#key;
    this.#key = undefined;
    const from = this.#owner;
    if (key === undefined || from === undefined || !ADDRESS_KEY.test(key) || TELEMETRY_KEY.test(key))
      return undefined;
    const hosts = value
      .split(',')
      .slice(0, 5)
      .flatMap((one) => {
        const [whole, host] = ADDRESS.exec(one) ?? [];
        return host !== undefined && (whole !== host || HOST_KEY.test(key)) ? host : [];
      });
    return { from, hosts };
  }
}
