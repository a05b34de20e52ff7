// Reads an example cluster from a folder that holds the output of kubectl, one file for each object.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An object or namespace that does not exist; the message is kubectl's. */
export class ClusterError extends Error {}

/** Answers to `kubectl get pods`, `describe pod`, `logs` and so on. Methods throw `ClusterError`. */
interface Cluster {
  /** The table of `kubectl get pods`. */
  listPods(namespace: string): Promise<string>;
  /** The text of `kubectl describe pod`. */
  describePod(namespace: string, pod: string): Promise<string>;
  /** The YAML of a pod, as kubernetes-mcp-server has it. */
  podYaml(namespace: string, pod: string): Promise<string>;
  /** @param object a name, or kind and name (`pod/checkout-1`); all events when absent. */
  events(namespace: string, object?: string): Promise<string>;
  /** @param tail lines from the end; all when absent. */
  logs(options: LogOptions): Promise<string>;
  /** The YAML of `kubectl get deployment`. */
  deployment(namespace: string, name: string): Promise<string>;
  /** The revisions of a deployment, or one of them in full. */
  rolloutHistory(namespace: string, name: string, revision?: number): Promise<string>;
}

interface LogOptions {
  /** The namespace of the pod. */
  namespace: string;
  /** Name of the pod. */
  pod: string;
  /** Name of a container. Absent: the first one by name. */
  container?: string | undefined;
  /** Whether to read the log of the container before its last restart. Default: false. */
  previous?: boolean | undefined;
  /** Lines from the end. Absent: all. */
  tail?: number | undefined;
}

/** Opens a cluster folder. Each file is read when it is asked for. */
export function openCluster(folder: string): Cluster {
  const namespaceFolder = async (namespace: string): Promise<string> => {
    const path = join(folder, 'namespaces', namespace);
    if ((await readNames(path)) === undefined) throw notFound('namespaces', namespace);
    return path;
  };
  const objectFolder = async (namespace: string, kind: string, plural: string, name: string) => {
    const path = join(await namespaceFolder(namespace), kind, name);
    if ((await readNames(path)) === undefined) throw notFound(plural, name);
    return path;
  };

  return {
    async listPods(namespace) {
      const table = await readClusterFile(join(await namespaceFolder(namespace), 'pods.txt'));
      return table ?? `No resources found in ${namespace} namespace.`;
    },
    async describePod(namespace, pod) {
      const path = await objectFolder(namespace, 'pods', 'pods', pod);
      return (await readClusterFile(join(path, 'describe.txt'))) ?? '';
    },
    async podYaml(namespace, pod) {
      const text = await readClusterFile(
        join(await objectFolder(namespace, 'pods', 'pods', pod), 'pod.yaml'),
      );
      if (text === undefined) throw new ClusterError(`pod ${pod} is not recorded as YAML; use describe_pod`);
      return text;
    },
    async events(namespace, object) {
      const table = await readClusterFile(join(await namespaceFolder(namespace), 'events.txt'));
      const [header, ...rows] = lines(table ?? '');
      const wanted = object === undefined ? rows : rows.filter((row) => isAbout(row, object));
      if (header === undefined || wanted.length === 0) return `No events found in ${namespace} namespace.`;
      return [header, ...wanted].join('\n');
    },
    async logs({ namespace, pod, container, previous = false, tail }) {
      const path = join(await objectFolder(namespace, 'pods', 'pods', pod), 'logs');
      const files = (await readNames(path)) ?? [];
      const containers = files.filter((file) => /^[^.]+\.log$/.test(file)).map((file) => file.slice(0, -4));
      const selected = container ?? containers[0] ?? '';
      if (!containers.includes(selected)) {
        throw new ClusterError(`error: container ${selected} is not valid for pod ${pod}`);
      }
      const log = await readClusterFile(
        join(path, previous ? `${selected}.previous.log` : `${selected}.log`),
      );
      if (log === undefined) {
        throw new ClusterError(
          `Error from server (BadRequest): previous terminated container "${selected}" in pod "${pod}" not found`,
        );
      }
      return tail === undefined ? log : lines(log).slice(-tail).join('\n');
    },
    async deployment(namespace, name) {
      const path = await objectFolder(namespace, 'deployments', 'deployments.apps', name);
      return (await readClusterFile(join(path, 'deployment.yaml'))) ?? '';
    },
    async rolloutHistory(namespace, name, revision) {
      const path = await objectFolder(namespace, 'deployments', 'deployments.apps', name);
      const file = revision === undefined ? 'rollout-history.txt' : `revision-${revision}.txt`;
      const history = await readClusterFile(join(path, file));
      if (history === undefined)
        throw new ClusterError(`error: unable to find the specified revision ${revision}`);
      return history;
    },
  };
}

function notFound(plural: string, name: string): ClusterError {
  return new ClusterError(`Error from server (NotFound): ${plural} "${name}" not found`);
}

/** Whether a row is about `object`. Its columns are LAST SEEN, TYPE, REASON, OBJECT, MESSAGE. */
function isAbout(row: string, object: string): boolean {
  const column = row.split(/\s+/)[3] ?? '';
  return column === object || column.endsWith(`/${object}`);
}

const lines = (content: string): string[] => content.trimEnd().split('\n');

async function readClusterFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trimEnd();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readNames(path: string): Promise<string[] | undefined> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
