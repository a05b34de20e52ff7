// Exports spans to OTLP targets in the background: one request at a time for each target, spans that cannot
// be sent are dropped and counted. Metrics are sent at once.

import type { MetricSnapshot, Recording, Span, Telemetry } from '../core/contract/telemetry.ts';
import { errorMessage } from '../core/errors.ts';
import { secondsText } from '../text/amounts.ts';
import { createSender, type Target } from './postOtlp.ts';

/** Recordings, one of each commit, that wait while a request runs; beyond it new ones are dropped. */
const MAX_QUEUED = 1_000;
/** Recordings of a request: some hundred spans. */
const MAX_RECORDINGS = 100;
/** The time of a flush. A request has less, so that a flush sees its failure. */
const LIMIT_MS = 2_000;
/** Spans wait this long for others, or for the end of their message: a request costs more than its spans. */
const GATHERED_MS = 1_000;

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

interface ExporterOptions {
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
  const send = createSender(warn);
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
      (settings.sample >= 1 || toTraceFraction(traceIdOf(sessionId)) < settings.sample));
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
        await Promise.all(targets.map((target) => send(target, 'traces', body)));
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
        await Promise.all(loaded.targets.map((target) => send(target, 'metrics', body)));
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
          if (queue.length > 0) drop(queue.splice(0), `no answer within ${secondsText(LIMIT_MS)}`);
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

/** A number from 0 up to 1 that a trace has in every process. */
function toTraceFraction(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 12), 16) / 2 ** 48;
}
