// destinations.yaml: the places for messages about sessions, and the tenants of each.

import * as z from 'zod';
import type { DestinationConfig, DestinationKind } from '../contract/destinationSettings.ts';
import { nameSchema } from '../core/schema/common.ts';
import { DEFAULT_TENANT, TENANT_ID } from '../core/schema/session.ts';
import { asObject } from '../text/json.ts';
import { describeExpected } from '../text/suggest.ts';
import { configFile, loadFile } from './configFile.ts';
import { chooseKindSettings, DESTINATION_KINDS, type TextField } from './destinationKinds.ts';
import { eachOnce, expandedText, schemaByValue, strictMapping } from './fields.ts';

const MAX_DESTINATIONS = 100;
const MAX_TENANTS = 1_000;
/** As many as a message has room for, beside its own facts. */
const MAX_FIELDS = 6;
/** As long as the name of a fact. */
const MAX_FIELD_NAME = 40;

/** A text before its variables are filled in, for processes that send nothing. */
const unfilled: TextField = () => z.string().min(1).max(4_000);

/** A text with its variables filled in. */
const filled =
  (env: NodeJS.ProcessEnv): TextField =>
  (form) =>
    expandedText(env).pipe(
      form === undefined ? z.string().min(1).max(4_000) : z.string().regex(form.pattern, form.message),
    );

const KINDS = Object.keys(DESTINATION_KINDS) as DestinationKind[];

const kindSchema = z
  .string()
  .default('')
  .transform((kind, context): DestinationKind => {
    const found = KINDS.find((one) => one === kind);
    if (found !== undefined) return found;
    const message =
      kind === 'outcome'
        ? 'outcome is an event, not a kind; add it to `when` of an entry of `notify`'
        : `${kind === '' ? 'is missing' : `unknown kind "${kind}"`}; ${describeExpected(kind, KINDS)}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const common = {
  kind: kindSchema,
  tenants: z
    .array(
      z.string().regex(TENANT_ID, 'must be the name of a tenant: letters, digits, "_" and "-", at most 63'),
    )
    .min(1)
    .max(MAX_TENANTS)
    .superRefine(eachOnce)
    .default([DEFAULT_TENANT]),
  onDoubt: z.enum(['repeat', 'hold']).default('repeat'),
  fields: z
    .array(z.string().trim().min(1).max(MAX_FIELD_NAME))
    .max(MAX_FIELDS)
    .superRefine(eachOnce)
    .optional(),
  asks: strictMapping({ chain: nameSchema }).optional(),
};

function entrySchema(text: TextField, secret: TextField) {
  return schemaByValue<DestinationConfig>((value) => {
    const { kind, tenants, onDoubt, fields, asks, ...rest } = asObject(value);
    const known = KINDS.find((one) => one === kind);
    const head = strictMapping(common);
    if (known === undefined) return head as unknown as z.ZodType<DestinationConfig>;
    const shared = { kind, tenants, onDoubt, fields, asks };
    return z.unknown().transform((_, context): DestinationConfig => {
      const first = head.safeParse(shared);
      const settings = chooseKindSettings(known, text, secret).safeParse(rest);
      for (const { error } of [first, settings])
        for (const issue of error?.issues ?? [])
          context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
      if (!first.success || !settings.success) return z.NEVER;
      if (asks !== undefined && !('signingSecret' in settings.data)) {
        const message = 'needs kind: slack with signingSecret and team: people ask by mentions of the app';
        context.issues.push({ code: 'custom', path: ['asks'], message, input: value });
        return z.NEVER;
      }
      return { ...first.data, settings: settings.data } as DestinationConfig;
    });
  });
}

/**
 * The variables that a process fills in. `tokens`: all but the secrets that prove requests, as `deliver` has
 * them. `proofs`: only those, as the API has them.
 */
type Filled = 'none' | 'tokens' | 'proofs';

/** destinations.yaml. @param env fills in `${NAME}`. Variables that are not filled in stay as they are. */
export function destinationsFileSchema(filledIn: Filled, env: NodeJS.ProcessEnv = {}) {
  const entry = entrySchema(
    filledIn === 'tokens' ? filled(env) : unfilled,
    filledIn === 'proofs' ? filled(env) : unfilled,
  );
  return strictMapping({
    destinations: z
      .record(nameSchema, entry)
      .default({})
      .superRefine((all, context) => {
        if (Object.keys(all).length <= MAX_DESTINATIONS) return;
        context.addIssue({ code: 'custom', message: `holds more than ${MAX_DESTINATIONS} destinations` });
      }),
  });
}

/** destinations.yaml with variables filled in. */
const destinationsFileWith = (filledIn: Filled, env?: NodeJS.ProcessEnv) =>
  configFile({ name: 'destinations', schema: () => destinationsFileSchema(filledIn, env) });
export const destinationsFile = destinationsFileWith('none');

/** The destinations by name. */
export type Destinations = Readonly<Record<string, DestinationConfig>>;

/**
 * Loads only destinations.yaml, with the variables of its tokens filled in from `env`. Returns none where the
 * file or folder is missing.
 * @throws ConfigError with every fault of it.
 */
export function loadDestinations(folder: string, env: NodeJS.ProcessEnv): Destinations {
  return loadFile(destinationsFileWith('tokens', env), folder).destinations;
}

/**
 * The signing secrets of Slack apps, by destination, and the destinations that take questions; empty without
 * buttons.
 * @throws ConfigError with every fault of destinations.yaml, also for a variable of a secret that is not set.
 */
export function loadSlackApps(
  folder: string,
  env: NodeJS.ProcessEnv,
): { secrets: Record<string, string>; asked: string[] } {
  const { destinations } = loadFile(destinationsFileWith('proofs', env), folder);
  const all = Object.entries(destinations);
  const found = all.flatMap(([name, { kind, settings }]) =>
    kind === 'slack' && settings.signingSecret !== undefined ? [[name, settings.signingSecret] as const] : [],
  );
  const asked = all.flatMap(([name, { asks }]) => (asks === undefined ? [] : [name]));
  return { secrets: Object.fromEntries(found), asked };
}
