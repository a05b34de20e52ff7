// The HTTP API over a bench: real routes and a real database, requests without a socket.

import { onTestFinished } from 'vitest';
import { localAccess } from '../../shared/api/access/localAccess.ts';
import type { Access, ApiDeps } from '../../shared/api/http/route.ts';
import type { Webhooks } from '../../shared/api/http/webhook.ts';
import type { ApiLimits } from '../../shared/api/limits/apiLimits.ts';
import { createSnsService } from '../../shared/api/webhooks/snsService.ts';
import type { ModelSettings } from '../../shared/core/schema/agent.ts';
import { AGENT_MASKING } from '../../shared/kits/agents/editAgents.ts';
import { createStoredAgents } from '../../shared/kits/agents/storedAgents.ts';
import { createAlertCheck } from '../../shared/kits/alerts/checkAlert.ts';
import { createApi } from '../../shared/lists/createApi.ts';
import { exportConversation } from '../../shared/llm/interchange/exportConversation.ts';
import { cleanText } from '../../shared/masking/cleanText.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { packageVersion } from '../../shared/projectFiles.ts';
import { createRawDocuments } from '../../shared/store/firestore/rawDocuments.ts';
import { type Bench, type BenchOptions, startBench } from './harness.ts';

/** An answer, with its body as JSON where it is. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests name what they expect
  body: any;
}

/** What a request is made of, beside its path. */
export interface ApiRequest {
  method?: string;
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Starts a bench with an API on it. Answers are held to their schemas. */
export async function startApiBench(
  options: BenchOptions & {
    access?: (local: Access, deps: ApiDeps) => Access;
    webhooks?: Webhooks;
    slackApps?: ApiDeps['slackApps'];
    slackAsks?: ApiDeps['slackAsks'];
    limits?: Partial<ApiLimits>;
    /** The model that scores sessions. Default: none. */
    judge?: ModelSettings;
    /** Live texts that no function writes. Default: none. */
    liveSource?(bench: Bench): ApiDeps['liveSource'];
  },
) {
  const bench = await startBench(options);
  // As in production, where a configuration of files is read.
  if (options.readConfig) bench.deps.storedAgents = createStoredAgents(bench.deps);
  const documents = createRawDocuments({ projectId: bench.projectId, timeoutMs: 600_000 });
  onTestFinished(() => documents.close());
  const mask = (text: string) => cleanText(bench.deps.maskerFor('0'.repeat(32)), text).text;
  const deps: ApiDeps = {
    ...bench.deps,
    documents,
    config: options.readConfig?.() ?? bench.config,
    judge: () => options.judge && { llm: bench.deps.llm, model: options.judge },
    checkAlert: createAlertCheck(bench.deps.maskerFor),
    webhooks: options.webhooks ?? { sources: {}, sns: createSnsService(globalThis.fetch) },
    slackApps: options.slackApps ?? {},
    slackAsks: options.slackAsks,
    liveSource: options.liveSource?.(bench),
    agentMasker: createMasker({ known: options.knownSecrets ?? [], rules: AGENT_MASKING }),
    startedAt: bench.deps.clock.now(),
    version: packageVersion(),
    documentUrl: undefined,
    exportConversation,
    mask,
  };
  const local = localAccess(mask);
  const app = createApi(deps, {
    access: options.access?.(local, deps) ?? local,
    checksAnswers: true,
    limits: options.limits,
  });
  const fetch = (path: string, { method, body, headers = {} }: ApiRequest = {}): Promise<Response> => {
    const isPlain = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
    return Promise.resolve(
      app.request(`http://127.0.0.1:8080${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          host: '127.0.0.1:8080',
          ...(!isPlain && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: (isPlain ? body : JSON.stringify(body)) as string }),
      }),
    );
  };
  const ask = async (path: string, request?: ApiRequest): Promise<ApiAnswer> => {
    const response = await fetch(path, request);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const investigate = async (
    alert: unknown = { title: 'Disk full', severity: 'critical' },
  ): Promise<string> => {
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    return sessionId;
  };
  return { ...bench, documents, app, ask, fetch, investigate } satisfies Bench & Record<string, unknown>;
}
