// The context of a request: its tenant, user and further settings. Read from the headers of a request, from
// the attributes of an alert's message or from a command line.

import * as z from 'zod';
import { DEFAULT_TENANT, TENANT_ID } from '../../core/schema/session.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { describeIssue, valueAt } from '../../text/zodIssues.ts';

/** A session id, or the client's: printable ASCII without spaces, stored only as a digest. */
const CHAT_ID = /^[!-~]{1,200}$/;
/** Characters of stored and displayed names. */
const MAX_NAME = 200;

/** The name of a tenant; `""` is allowed and means the default tenant. */
const tenantIdSchema = z
  .string()
  .refine(
    (text) => text === '' || TENANT_ID.test(text),
    'must start with a letter or digit, and hold only letters, digits, "_" and "-", at most 63',
  );
const lineSchema = z
  .string()
  .refine(
    (text) =>
      text !== '' && [...text].length <= MAX_NAME && makeVisible(text) === text && !/[\n\t]/.test(text),
    `must be one line of plain text, at most ${MAX_NAME} characters`,
  );

/** The context of a request. */
const contextSchema = z.strictObject({
  /** As it was given; `storedTenant` returns the stored form. */
  tenantId: tenantIdSchema,
  /** Null if the request names none. */
  userId: lineSchema.nullable(),
  /** The id of a session, or the client's own id. */
  sessionId: z
    .string()
    .regex(
      CHAT_ID,
      'must be the id of a session, or one of your own: printable ASCII without spaces, at most 200',
    )
    .nullable(),
  /** The program that sends the request. */
  clientId: lineSchema.nullable(),
  /** Whether the request comes from an evaluation, not from a person. */
  isEval: z.boolean(),
  /** A name of models.yaml; null for the default model. */
  model: lineSchema.nullable(),
  /** The agent that answers; null for the default agent. */
  agent: lineSchema.nullable(),
});
/** The context of a request. */
export type Context = z.infer<typeof contextSchema>;

/** A context, or the fault of the input: the field and the fix, without its value, which can be a secret. */
export type ContextReading = { ok: true; context: Context } | { ok: false; fault: string };

const EMPTY: Context = {
  tenantId: DEFAULT_TENANT,
  userId: null,
  sessionId: null,
  clientId: null,
  isEval: false,
  model: null,
  agent: null,
};

/**
 * Builds a context from some of its fields; the others default to the default tenant and no user.
 * @param names names of the fields in faults: `{ tenantId: 'attribute tenant' }`.
 */
export function readContext(
  given: Partial<Context>,
  names: Partial<Record<keyof Context, string>> = {},
): ContextReading {
  const whole = { ...EMPTY, ...given };
  const result = contextSchema.safeParse(whole);
  if (result.success) return { ok: true, context: result.data };
  const [issue] = result.error.issues;
  const field = String(issue?.path[0]);
  const fault = issue === undefined ? 'invalid' : describeIssue(issue, valueAt(whole, issue.path));
  return {
    ok: false,
    fault: `${names[field as keyof Context] ?? field}: ${fault}; correct it or leave it out`,
  };
}

/** The tenant in its stored form, which also restricts reads. */
export function storedTenant({ tenantId }: Pick<Context, 'tenantId'>): string {
  return tenantId === '' ? DEFAULT_TENANT : tenantId;
}
