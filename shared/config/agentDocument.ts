// The schema of agents/NAME.yaml: an agent, as a JSON Schema of its answer with the agent's settings.

import * as z from 'zod';
import { unusableNames } from '../agents/outputSchema.ts';
import { nameSchema } from '../core/schema/common.ts';
import type { AgentReferences } from './agentTypes.ts';
import { quoteName } from './configError.ts';
import { eachOnce, referenceTo } from './fields.ts';
import { agentFields, askField, instructionsText, MAX_TOOLS } from './schema.ts';

/** Names and texts that are only kept. */
const MAX_LISTED = 100;
const keptText = z.string().max(1000);
/** Maximum length of a tool description, in characters, also of descriptions from servers. */
const MAX_TOOL_DESCRIPTION = 4_000;

const field: z.ZodType<Record<string, unknown>> = z.lazy(() =>
  z.looseObject({
    type: z
      .union([z.string(), z.array(z.string())], { error: 'must be text, or a list of texts' })
      .optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    properties: z.record(z.string(), field).optional(),
    required: z.array(z.string()).optional(),
    items: field.optional(),
  }),
);

const tool = z.looseObject({
  name: z.string().min(1).max(200),
  server: z.string().min(1).max(200).nullish(),
  description: z.string().min(1).max(MAX_TOOL_DESCRIPTION).nullish(),
});

const serverName = z
  .string()
  .refine((text) => !text.includes('://'), 'must be the name of a server in servers.yaml, not its address')
  .pipe(nameSchema);

type DocumentReferences = Pick<AgentReferences, 'models' | 'skills'>;

/** Accepts every reference. */
const ANYTHING: DocumentReferences = { models: undefined };

/** Settings of `json_schema_extra`. Keys that are not named here are kept and mean nothing. */
const extraFields = ({ models, skills }: DocumentReferences) => ({
  kind: z.literal('agent').default('agent'),
  name: nameSchema,
  version: keptText.default('1.0.0'),
  system_prompt: z.string().max(50_000).nullish(),
  extension: z.string().max(50_000).nullish(),
  structured_output: z.boolean().nullish(),
  tools: z.array(tool).max(MAX_TOOLS).nullish(),
  resources: z.array(keptText.min(1)).max(MAX_LISTED).superRefine(eachOnce).nullish(),
  asks: askField().nullish(),
  mcp_servers: z.array(serverName).max(MAX_LISTED).superRefine(eachOnce).nullish(),
  tags: z.array(keptText).max(MAX_LISTED).nullish(),
  author: keptText.nullish(),
  override_model: referenceTo('model', models).nullish(),
  override_temperature: z.number().min(0).max(2).nullish(),
  override_max_iterations: z.int().min(1).max(500).nullish(),
  ...agentFields(models, skills),
});

/** The keys of `json_schema_extra` that mean something. */
export const EXTRA_KEYS = Object.keys(extraFields(ANYTHING));

const documentFields = (known: DocumentReferences) =>
  z.looseObject({
    type: z.literal('object').default('object'),
    description: instructionsText,
    properties: z.record(z.string().min(1).max(200), field).default({}),
    required: z.array(z.string()).superRefine(eachOnce).default([]),
    json_schema_extra: z.looseObject(extraFields(known)),
  });

/** A validated agents/NAME.yaml. */
export type AgentDocument = z.output<ReturnType<typeof documentFields>>;

/** agents/NAME.yaml, with references to `known` models and skills. */
export const agentDocumentSchema = (known: DocumentReferences) =>
  documentFields(known).superRefine(checkDocument);

function checkDocument(document: AgentDocument, context: z.RefinementCtx): void {
  const { properties, required, json_schema_extra: extra } = document;
  const add = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  for (const [index, name] of required.entries()) {
    if (Object.hasOwn(properties, name)) continue;
    add(['required', index], `${quoteName(name)} is not among properties; add it there, or remove it here`);
  }
  if (extra.structured_output === true) {
    for (const [property, field] of Object.entries(properties)) {
      for (const name of unusableNames({ [property]: field }))
        add(
          ['properties', property],
          `${quoteName(name)} cannot be asked for with structured_output: names of fields have letters, digits and "_" only (64 at most), and do not start with a digit`,
        );
    }
  }
  if (extra.override_max_iterations != null && extra.maxIterations !== undefined) {
    const message = 'duplicates override_max_iterations; keep one of the two';
    add(['json_schema_extra', 'maxIterations'], message);
  }
  if (Object.hasOwn(extra, 'instructions')) {
    const message =
      'has no place here: the prompt is `description`, and more of it `json_schema_extra.system_prompt`';
    add(['json_schema_extra', 'instructions'], message);
  }
}
