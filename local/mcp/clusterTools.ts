// The tools of the example cluster: views of kubectl and Prometheus, and a restart.

import { join } from 'node:path';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { ClusterError, openCluster } from './clusterFiles.ts';
import { QueryError, queryMetrics } from './metricsFiles.ts';

/** A Kubernetes name. It contains no slash and does not start with a dot, so it cannot leave the folder. */
const objectName = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
    'must be a Kubernetes name (lower case letters, digits, "-" and ".")',
  );

/** The recordings of the examples cover three hours. */
const MAX_MINUTES = 180;
const DEFAULT_MINUTES = 60;

const namespace = objectName.describe('Namespace, for example "shop"');
const pod = objectName.describe('Name of the pod, as list_pods shows it');
const deployment = objectName.describe('Name of the deployment');
const annotations = { readOnlyHint: true, openWorldHint: false };

/** Optional tools of a cluster server. */
export interface ClusterOptions {
  /** Whether it has a tool that restarts a deployment. */
  restarts: boolean;
}

/** Creates an MCP server for the cluster recorded in `folder`. */
export function createClusterServer(folder: string, { restarts }: ClusterOptions): McpServer {
  const cluster = openCluster(folder);
  const server = new McpServer({ name: 'example-cluster', version: '1.0.0' });

  server.registerTool(
    'list_pods',
    {
      description: 'Lists the pods of a namespace with readiness, status, restarts, age and node.',
      inputSchema: z.object({ namespace }),
      annotations,
    },
    (args) => toolResult(cluster.listPods(args.namespace)),
  );
  server.registerTool(
    'describe_pod',
    {
      description:
        'Describes a pod: image, resources, environment, probes, state and last state of its containers, its events.',
      inputSchema: z.object({ namespace, pod }),
      annotations,
    },
    (args) => toolResult(cluster.describePod(args.namespace, args.pod)),
  );
  server.registerTool(
    'pods_get',
    {
      description: 'Shows a pod as YAML, with its status.',
      inputSchema: z.object({ namespace, name: pod }),
      annotations,
    },
    (args) => toolResult(cluster.podYaml(args.namespace, args.name)),
  );
  server.registerTool(
    'get_events',
    {
      description:
        'Lists the events of a namespace, oldest first. Events of nodes are in the namespace "default".',
      inputSchema: z.object({
        namespace,
        object: z
          .string()
          .max(300)
          .optional()
          .describe('Only events of this object: a name, or kind and name like "pod/checkout-1"'),
      }),
      annotations,
    },
    (args) => toolResult(cluster.events(args.namespace, args.object)),
  );
  server.registerTool(
    'get_logs',
    {
      description:
        'Shows the log of a container. For one that restarted, "previous" shows the log before its end.',
      inputSchema: z.object({
        namespace,
        pod,
        container: objectName.optional().describe('Container; the first one by default'),
        previous: z.boolean().optional().describe('The log of the previous, terminated container'),
        tail: z.int().positive().max(10_000).optional().describe('Only this many lines from the end'),
      }),
      annotations,
    },
    (args) => toolResult(cluster.logs(args)),
  );
  server.registerTool(
    'get_deployment',
    {
      description: 'Shows a deployment as YAML, with its status.',
      inputSchema: z.object({ namespace, name: deployment }),
      annotations,
    },
    (args) => toolResult(cluster.deployment(args.namespace, args.name)),
  );
  server.registerTool(
    'rollout_history',
    {
      description:
        'Lists the revisions of a deployment with their change causes, or shows one revision whole.',
      inputSchema: z.object({
        namespace,
        name: deployment,
        revision: z.int().positive().optional().describe('Show the pod template of this revision'),
      }),
      annotations,
    },
    (args) => toolResult(cluster.rolloutHistory(args.namespace, args.name, args.revision)),
  );
  registerMetrics(server, folder);
  if (restarts) registerRestart(server, folder);
  return server;
}

/** The tool that reads samples. */
function registerMetrics(server: McpServer, folder: string): void {
  server.registerTool(
    'query_metrics',
    {
      description:
        'Shows the recorded samples of a Prometheus selector, for example container_memory_working_set_bytes{namespace="shop", pod=~"checkout-.*"}. Functions and operators are not available.',
      inputSchema: z.object({
        query: z.string().max(1_000).describe('A metric name with optional label matchers'),
        minutes: z
          .int()
          .positive()
          .max(MAX_MINUTES)
          .optional()
          .describe(`How many minutes back from the newest sample; ${DEFAULT_MINUTES} by default`),
      }),
      annotations,
    },
    (args) => toolResult(queryMetrics(join(folder, 'metrics'), args.query, args.minutes ?? DEFAULT_MINUTES)),
  );
}

/** A recording cannot change: the answer is that of kubectl, and the pods stay as they are. */
function registerRestart(server: McpServer, folder: string): void {
  const cluster = openCluster(folder);
  server.registerTool(
    'restart_deployment',
    {
      description: 'Restarts the pods of a deployment one after another, as `kubectl rollout restart` does.',
      inputSchema: z.object({ namespace, name: deployment }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    (args) =>
      toolResult(
        cluster.deployment(args.namespace, args.name).then(() => `deployment.apps/${args.name} restarted`),
      ),
  );
}

/** A call's result: text, or the message of a `ClusterError` or `QueryError`. Throws others. */
async function toolResult(work: Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await work }] };
  } catch (error) {
    if (!(error instanceof ClusterError || error instanceof QueryError)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}
