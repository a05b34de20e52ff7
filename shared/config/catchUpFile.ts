// catch-up.yaml: the sources whose firing alerts `inquest catch-up` lists.

import * as z from 'zod';
import { nameSchema } from '../core/schema/common.ts';
import { configFile } from './configFile.ts';
import { strictMapping } from './fields.ts';
import { expandVariables } from './variables.ts';

const MAX_TEXT = 2_000;

/** Text with `${NAME}`. The variables are read by the command only: no service needs them. */
const text = z.string().trim().min(1).max(MAX_TEXT);
const address = text.refine(
  (url) => /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)|\$\{)/.test(url),
  'must be an address with https://, or http:// on this machine: a token goes with each request',
);
const receiver = text.default('inquest').describe('The receiver that sends to Inquest');

const source = z.discriminatedUnion('source', [
  strictMapping({ source: z.literal('alertmanager'), url: address, receiver, token: text.optional() }),
  strictMapping({ source: z.literal('grafana'), url: address, receiver, token: text }),
  strictMapping({
    source: z.literal('pagerduty'),
    url: address.default('https://api.pagerduty.com'),
    token: text,
  }),
  strictMapping({
    source: z.literal('cloud-monitoring'),
    project: text,
    url: address.default('https://monitoring.googleapis.com'),
  }),
]);
/** A source of catch-up.yaml. */
export type CatchUpSource = z.output<typeof source>;

const catchUpFileSchema = strictMapping({ sources: z.record(nameSchema, source).default({}) });
export const catchUpFile = configFile({ name: 'catch-up', schema: () => catchUpFileSchema });

/** A source with its variables replaced. @throws Error that names each variable that is not set. */
export function withVariables(given: CatchUpSource, env: NodeJS.ProcessEnv): CatchUpSource {
  const entries = Object.entries(given).map(([key, value]) => {
    const expansion = expandVariables(value ?? '', env);
    if (!expansion.ok) throw new Error(`${key}: ${expansion.messages.join('; ')}`);
    return [key, expansion.text];
  });
  return Object.fromEntries(entries) as CatchUpSource;
}
