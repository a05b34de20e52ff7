// Telemetry: finished spans in the terms of OpenTelemetry, and the port that exports them.

/** The value of an attribute. A list has elements of one type. */
export type AttributeValue = string | number | boolean | string[];

/** Attributes by name. An undefined value is omitted. */
export type Attributes = Record<string, AttributeValue | undefined>;

/** A moment of a span. */
export interface SpanEvent {
  name: string;
  at: Date;
  attributes: Attributes;
}

/** A finished span. It is the same whenever, and wherever, it is derived. */
export interface Span {
  /** The session that its trace belongs to. */
  sessionId: string;
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Undefined for the span of the session. */
  parentSpanId?: string;
  name: string;
  /** `client`: a request to another system. */
  kind: 'internal' | 'client';
  startedAt: Date;
  endedAt: Date;
  /** A sentence for a span that failed; undefined for any other. */
  error?: string;
  attributes: Attributes;
  events: SpanEvent[];
  /** The trace of the alert's message, which has its own. W3C `traceparent`. */
  link?: string;
}

/** The values of one combination of attributes. */
export interface MetricPoint {
  /** Only names that the configuration, a registry or the code chose, so that their number is bounded. */
  attributes: Readonly<Record<string, string>>;
  /** The count or the current value; of a histogram the sum of its values. */
  value: number;
  /** Of a histogram: the number of values up to each bound, and of those above the last one. */
  counts?: readonly number[];
}

/** A metric with its points. */
export interface Metric {
  /** As OpenTelemetry writes it: `gen_ai.invoke_agent.duration`. */
  name: string;
  description: string;
  /** In UCUM: `s`, or an annotation such as `{token}`. */
  unit: string;
  /** `counter` and `histogram` are cumulative, `gauge` is the current value. */
  kind: 'counter' | 'histogram' | 'gauge';
  /** The upper bounds of the buckets of a histogram, ascending; empty for other kinds. */
  bounds: readonly number[];
  points: readonly MetricPoint[];
}

/** All metrics at one time. */
export interface MetricSnapshot {
  /** Since when counters and histograms count. The same in all processes until the stored totals are lost. */
  startedAt: Date;
  at: Date;
  metrics: readonly Metric[];
}

/** Spans that are derived when they are sent. */
export interface Recording {
  /** The sessions that the spans belong to, each once. */
  sessions: readonly string[];
  /** Derives the spans. Pure. @param content whether attributes hold content of sessions, without secrets. */
  spans(content: 'none' | 'masked'): Span[];
}

/** Exports spans in the background. No method fails, and none waits longer than 2 s. */
export interface Telemetry {
  /** Whether the trace of a session is exported. By its id only; true until the settings are loaded. */
  isSampled(sessionId: string): boolean;
  /** Queues spans, and starts to send them. Beyond a limit they are dropped and counted. */
  record(recording: Recording): void;
  /** Counts a session with dropped spans: another process possibly died before it exported some. */
  suspect(sessionId: string): void;
  /** Sends the metrics once. Those that cannot be sent are dropped: the next ones contain them. */
  exportMetrics(snapshot: MetricSnapshot): Promise<void>;
  /**
   * Waits until the spans that are queued were sent, or dropped.
   * @returns the sessions with dropped spans since the last call.
   */
  flush(): Promise<ReadonlySet<string>>;
}
