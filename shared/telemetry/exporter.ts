// Exports spans to OTLP targets in the background: one request at a time for each target, spans that cannot be sent are
// dropped and counted. Metrics are sent at once.

import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { MetricSnapshot, Recording, Span, Telemetry } from '../contract/telemetry.ts';
import { errorMessage } from '../errors.ts';

/** Recordings, one of each commit, that wait while a request runs; beyond it new ones are dropped. */
const MAX_QUEUED = 1_000;
/** Recordings of a request: some hundred spans. */
const MAX_RECORDINGS = 100;
/** The time of a flush, and that of a request, so that a flush sees its failure. */
const LIMIT_MS = 2_000;
const REQUEST_MS = 1_800;
/** Spans wait this long for others, or for the end of their message: a request costs more than its spans. */
const GATHERED_MS = 1_000;

/** A place that takes OTLP over HTTP. */
interface Target {
  /** The address without the signal's path: `https://telemetry.googleapis.com`. */
  url: string;
  /** Headers of each request, including those of the authentication. */
  headers(): Promise<Record<string, string>>;
}

/** The settings of an exporter. */
export interface ExporterSettings {
  targets: readonly Target[];
  /** The signals that are sent. Default: both. */
  signals?: readonly ('traces' | 'metrics')[] | undefined;
  content: 'none' | 'masked';
  /** The part of all traces that is exported, 0 to 1. */
  sample: number;
  /** Encodes the spans of a request. */
  encode(spans: readonly Span[]): Uint8Array;
  /** Encodes metrics. */
  encodeMetrics(snapshot: MetricSnapshot): Uint8Array;
}

/** The parts of an exporter. */
export interface ExporterOptions {
  /** Loads the settings. Called once, at the start; if it fails, all spans are dropped. */
  load(): Promise<ExporterSettings>;
  /** The trace of a session. */
  traceIdOf(sessionId: string): string;
  /** Receives a line for each failed request. */
  warn(fields: object, message: string): void;
}

/** Creates an exporter. It sends nothing before the first spans. */
export function createExporter({ load, traceIdOf, warn }: ExporterOptions): Telemetry {
  const queue: Recording[] = [];
  const failed = new Set<string>();
  let dropped = 0;
  let sending: Promise<void> | undefined;
  /** The recordings of the running request. */
  let sent: readonly Recording[] = [];
  /** Those of requests whose failure a flush has reported. */
  const reported = new WeakSet<Recording>();
  let settings: ExporterSettings | undefined;
  const loading = load().then((loaded) => {
    settings = loaded;
    return loaded;
  });
  // Reported with the first spans.
  loading.catch(() => {});

  const isSampled = (sessionId: string): boolean =>
    settings === undefined ||
    (isSent(settings, 'traces') &&
      (settings.sample >= 1 || fractionOf(traceIdOf(sessionId)) < settings.sample));
  const report = (recordings: readonly Recording[]) => {
    for (const one of recordings) {
      if (!reported.has(one)) for (const sessionId of one.sessions) failed.add(sessionId);
      reported.add(one);
    }
  };
  const drop = (recordings: readonly Recording[], reason: string) => {
    dropped += recordings.length;
    report(recordings);
    warn({ commits: recordings.length, dropped }, `telemetry was not exported: ${reason}`);
  };
  const sendQueued = async (): Promise<void> => {
    while (queue.length > 0) {
      sent = queue.splice(0, MAX_RECORDINGS);
      try {
        const { targets, content, encode } = await loading;
        const spans = sent.flatMap((one) => one.spans(content)).filter((one) => isSampled(one.sessionId));
        if (spans.length === 0) continue;
        const body = encode(spans);
        await Promise.all(targets.map((target) => post(target, 'traces', body)));
      } catch (error) {
        drop(sent, errorMessage(error));
      }
    }
    sent = [];
  };
  let gathering: NodeJS.Timeout | undefined;
  const start = (): Promise<void> => {
    clearTimeout(gathering);
    gathering = undefined;
    sending ??= sendQueued().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  return {
    isSampled,
    record(recording) {
      if (queue.length >= MAX_QUEUED) return drop([recording], 'the queue is full');
      queue.push(recording);
      if (queue.length >= MAX_RECORDINGS) return void start();
      gathering ??= setTimeout(start, GATHERED_MS).unref();
    },
    suspect(sessionId) {
      if (isSampled(sessionId)) failed.add(sessionId);
    },
    async exportMetrics(snapshot) {
      try {
        const loaded = await loading;
        if (!isSent(loaded, 'metrics')) return;
        const body = loaded.encodeMetrics(snapshot);
        await Promise.all(loaded.targets.map((target) => post(target, 'metrics', body)));
      } catch (error) {
        warn({}, `metrics were not exported: ${errorMessage(error)}`);
      }
    },
    async flush() {
      if (queue.length > 0 || sending !== undefined) {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<'late'>((resolve) => {
          timer = setTimeout(() => resolve('late'), LIMIT_MS);
        });
        const end = await Promise.race([start(), late]);
        clearTimeout(timer);
        if (end === 'late') {
          report(sent);
          if (queue.length > 0) drop(queue.splice(0), `no answer within ${LIMIT_MS / 1000} s`);
        }
      }
      const sessions = new Set(failed);
      failed.clear();
      return sessions;
    },
  };
}

const isSent = ({ signals }: ExporterSettings, signal: 'traces' | 'metrics'): boolean =>
  signals === undefined || signals.includes(signal);

/** One connection to each target is kept. Redirects are not followed. Costs half of the processor time of `fetch`. */
const AGENTS = {
  'http:': { request: requestHttp, agent: new HttpAgent({ keepAlive: true }) },
  'https:': { request: requestHttps, agent: new HttpsAgent({ keepAlive: true }) },
} as const;

async function post(target: Target, kind: 'traces' | 'metrics', body: Uint8Array): Promise<void> {
  const headers = {
    ...(await target.headers()),
    'content-type': 'application/x-protobuf',
    'content-length': body.length,
  };
  const { protocol, hostname, port, pathname } = new URL(target.url);
  const path = `${pathname.replace(/\/$/, '')}/v1/${kind}`;
  const { request, agent } = AGENTS[protocol === 'http:' ? 'http:' : 'https:'];
  await new Promise<void>((resolve, reject) => {
    // Options cost less than an address.
    const host = hostname.replaceAll(/[[\]]/g, '');
    const sent = request({ method: 'POST', hostname: host, port, path, headers, agent }, (response) => {
      const { statusCode = 0 } = response;
      response.resume().on('end', () => {
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`the target answered ${statusCode}`));
      });
    });
    const late = () => sent.destroy(new Error(`no answer within ${REQUEST_MS / 1000} s`));
    const timer = setTimeout(late, REQUEST_MS);
    sent.on('error', reject).on('close', () => clearTimeout(timer));
    sent.end(body);
  });
}

/** A number from 0 up to 1 that a trace has in every process. */
function fractionOf(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 12), 16) / 2 ** 48;
}
