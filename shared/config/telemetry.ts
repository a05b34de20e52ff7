// telemetry.yaml: where spans and metrics are exported, if INQUEST_TELEMETRY is `on`. Every service reads it.

import * as z from 'zod';
import { configFile, loadFile } from './configFile.ts';
import { expandedText, strictMapping } from './fields.ts';

/** Google's own, which takes OTLP for Cloud Trace and Cloud Monitoring. */
const GOOGLE_URL = 'https://telemetry.googleapis.com';
const MAX_TARGETS = 5;
const SIGNALS = ['traces', 'metrics'] as const;
const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;

const address = z.url({
  protocol: /^https?$/,
  error: 'must be an address that starts with https:// or http://',
});

const target = (text: z.ZodType<string, string>) =>
  strictMapping({
    /** Without the paths `/v1/traces` and `/v1/metrics`. */
    url: text.pipe(address),
    /**
     * `google`: with a token of the service's own account, only over https and to googleapis.com. Default:
     * none.
     */
    auth: z.enum(['google', 'none']).default('none'),
    headers: z
      .record(z.string().regex(HEADER_NAME, 'must be the name of a header'), text.pipe(z.string().max(4_000)))
      .default({}),
  }).superRefine(({ url, auth }, context) => {
    if (auth !== 'google' || isGoogle(url)) return;
    const message =
      'auth: google sends a token of this service, so url must be https://telemetry.googleapis.com';
    context.addIssue({ code: 'custom', path: ['url'], message });
  });

function isGoogle(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' && parsed.hostname.endsWith('.googleapis.com');
}

/** telemetry.yaml. @param env fills in `${NAME}`; undefined leaves variables as they are. */
function telemetryFileSchema(env: NodeJS.ProcessEnv | undefined) {
  // Addresses and headers are checked with their variables filled in.
  const text = env === undefined ? z.string().min(1) : expandedText(env);
  const unfilled = strictMapping({
    url: z.string().min(1),
    auth: z.enum(['google', 'none']).default('none'),
    headers: z.record(z.string(), z.string()).default({}),
  });
  return strictMapping({
    targets: z
      .array(env === undefined ? unfilled : target(text as z.ZodType<string, string>))
      .min(1)
      .max(MAX_TARGETS)
      .default([{ url: GOOGLE_URL, auth: 'google', headers: {} }]),
    /** The exported signals. Default: both. */
    signals: z
      .array(z.enum(SIGNALS))
      .min(1)
      .default([...SIGNALS]),
    /** `masked`: attributes hold results of tools and analyses, without secrets. Default: none. */
    content: z.enum(['none', 'masked']).default('none'),
    /** The part of all sessions whose traces are exported, 0 to 1. Default: 1. */
    sample: z.number().min(0).max(1).default(1),
  });
}

/** telemetry.yaml, with its variables if there are any. */
const telemetryFileWith = (env: NodeJS.ProcessEnv | undefined) =>
  configFile({ name: 'telemetry', schema: () => telemetryFileSchema(env) });
export const telemetryFile = telemetryFileWith(undefined);

/** telemetry.yaml, read. */
export type TelemetryConfig = z.output<ReturnType<typeof telemetryFileSchema>>;

/**
 * Loads only telemetry.yaml. Without the file its defaults apply.
 * @throws ConfigError with every fault of it.
 */
export function loadTelemetry(folder: string, env: NodeJS.ProcessEnv): TelemetryConfig {
  return loadFile(telemetryFileWith(env), folder);
}
