// On whose behalf something is asked: read from the headers of a request, from the attributes of an alert's message or from
// a command line, and passed on to the agents that an agent asks.

import * as z from 'zod';
import { DEFAULT_TENANT, TENANT_ID } from '../../schema/session.ts';
import { visible } from '../../text/visible.ts';

/** Of a session, or of the client's own. */
const CHAT_ID = /^[A-Za-z0-9][\w.:@/-]{0,199}$/;
/** Characters of names that are stored and shown. */
const MAX_NAME = 200;

/** The name of a tenant; `""` is allowed and means the default one. */
const tenantIdSchema = z
  .string()
  .refine(
    (text) => text === '' || TENANT_ID.test(text),
    'must begin with a letter or digit, and hold only letters, digits, "_" and "-", at most 63',
  );
const lineSchema = z
  .string()
  .refine(
    (text) => text !== '' && [...text].length <= MAX_NAME && visible(text) === text && !/[\n\t]/.test(text),
    `must be one line of plain text, at most ${MAX_NAME} characters`,
  );

/** On whose behalf something is asked. */
const contextSchema = z.strictObject({
  /** As it was given; `tenantOf` is what is stored. */
  tenantId: tenantIdSchema,
  /** Null when nobody is named. */
  userId: lineSchema.nullable(),
  /** Of a session, or one of the client's own. */
  sessionId: z
    .string()
    .regex(CHAT_ID, 'must be the id of a session, or one of your own: letters, digits, "_-.:@/", at most 200')
    .nullable(),
  /** The program that asks. */
  clientId: lineSchema.nullable(),
  /** Whether an evaluation asks, not a person. */
  isEval: z.boolean(),
  /** What is known of the user, for agents; null when nothing is. */
  profile: z.string().nullable(),
  /** A name of models.yaml; null for the default one. */
  model: lineSchema.nullable(),
  /** The agent that is asked; null for the default one. */
  agent: lineSchema.nullable(),
});
/** On whose behalf something is asked. */
export type Context = z.infer<typeof contextSchema>;

/** A context, or what is wrong with what was given: the field and the fix, without its value, which may be a secret. */
export type ContextReading = { ok: true; context: Context } | { ok: false; fault: string };

const EMPTY: Context = {
  tenantId: DEFAULT_TENANT,
  userId: null,
  sessionId: null,
  clientId: null,
  isEval: false,
  profile: null,
  model: null,
  agent: null,
};

/**
 * A context of some of its fields; the others are those of nobody in the default tenant.
 * @param names how people know the fields, for faults: `{ tenantId: 'attribute tenant' }`.
 */
export function readContext(
  given: Partial<Context>,
  names: Partial<Record<keyof Context, string>> = {},
): ContextReading {
  const result = contextSchema.safeParse({ ...EMPTY, ...given });
  if (result.success) return { ok: true, context: result.data };
  const [issue] = result.error.issues;
  const field = String(issue?.path[0]);
  return {
    ok: false,
    fault: `${names[field as keyof Context] ?? field}: ${issue?.message}; correct it or leave it out`,
  };
}

/** The tenant as it is stored with what the context opens, and by which reads are bound. */
export function tenantOf({ tenantId }: Pick<Context, 'tenantId'>): string {
  return tenantId === '' ? DEFAULT_TENANT : tenantId;
}

/**
 * The context of an agent that the agent of `context` asks: everything but the agent is inherited. An execution has its
 * session's tenant and user anyway, because it is below it.
 */
export function childContext<C extends Pick<Context, 'agent'>>(context: C, agent: string): C {
  return { ...context, agent };
}
