// A case on disk: what agents see (`case.yaml`) and, apart from it, what is true (`truth.yaml`).

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import * as z from 'zod';
import { errorMessage, TerminalError } from '../core/errors.ts';
import { YIELDS } from '../core/schema/block.ts';
import { MECHANISMS } from '../text/mechanisms.ts';
import { firstFault } from '../text/zodIssues.ts';

const text = z.string().min(1);

const answerSchema = z.strictObject({
  arguments: z.record(z.string(), z.unknown()).default({}),
  text: z.string(),
  error: z.boolean().default(false),
  /** Whether the call ended at its time limit. */
  timedOut: z.boolean().default(false),
});
/** The answer of a tool to a call. */
export type CaseAnswer = z.infer<typeof answerSchema>;

const toolSchema = z.strictObject({
  /** `server.tool`. */
  name: z.string().regex(/^[A-Za-z0-9][\w-]*\.[\w./-]+$/, 'must be server.tool'),
  description: z.string(),
  yields: z.enum(YIELDS).default('text'),
  /** The name of its list of state fields. */
  fields: text.optional(),
  /** Names of its parameters, all texts or numbers. */
  parameters: z.array(text).default([]),
  /** JSON Schema of its arguments. Absent: that of `parameters`. */
  schema: z.record(z.string(), z.unknown()).optional(),
  /** Parameters of which a larger recorded value covers a smaller one: time ranges and numbers of lines. */
  covers: z.array(text).default([]),
  answers: z.array(answerSchema).default([]),
  /**
   * A table, whose first line is its head. Calls get the rows that contain all words of `contains`, at most
   * `limit` (50).
   */
  rows: z.string().optional(),
  /** The answer to all other arguments; `${name}` is an argument. Absent: such calls are not recorded. */
  otherwise: text.optional(),
  /** How the server answers arguments that it knows no object for. Such calls still count as not recorded. */
  unknown: z.strictObject({ text: z.string(), error: z.boolean().default(true) }).optional(),
});
/** A tool with its recorded answers. */
export type CaseTool = z.infer<typeof toolSchema>;

const caseSchema = z.strictObject({
  version: z.literal(1, 'must be 1; a newer Inquest writes other versions, upgrade to read them'),
  licence: text,
  tags: z.array(text).default([]),
  /** The time at which the alert arrives. */
  at: z.coerce.date('must be a time, as 2026-11-20T10:01:00Z'),
  /** The alert, in a form that an adapter reads. */
  alert: z.record(z.string(), z.unknown()),
  tools: z.array(toolSchema).min(1),
});

const causeSchema = z.strictObject({
  component: text,
  mechanism: z.enum(MECHANISMS),
  /** Other right names of the component. A name without a colon also matches a resource of that name. */
  also: z.array(text).optional(),
  /** The exact name of the cause in a benchmark. No score depends on it. */
  label: text.optional(),
});
/** A component, and how it failed. */
export type Cause = z.infer<typeof causeSchema>;
const changeSchema = z.strictObject({ tool: text, text });

const truthSchema = z.strictObject({
  /** All of them; none for a wrong alert. */
  causes: z.array(causeSchema),
  /** Lines of answers that prove the causes. */
  evidence: z.array(text).default([]),
  /** A text that occurs nowhere else: a test looks for it in every request. */
  canary: text,
  /** Calls that lead to the evidence. Scripted models make them. */
  steps: z
    .array(z.strictObject({ tool: text, arguments: z.record(z.string(), z.unknown()).default({}) }))
    .default([]),
  /** A misleading order or sentence in a log. Absent: the case has no such arm. */
  planted: changeSchema.optional(),
  /** A symptom at the same time, or a nearer change, with the cause that it suggests. Absent: no arm. */
  distractor: changeSchema.extend({ suggests: causeSchema }).optional(),
  /** The answers of tools in a healthy state: one for all arguments, or those that differ. Absent: no arm. */
  healthy: z.record(z.string(), z.union([text, z.array(answerSchema)])).optional(),
});
/** The truth of a case. No agent sees any of it. */
export type Truth = z.infer<typeof truthSchema>;

/** The part of a case that agents can see. */
export interface Case extends z.infer<typeof caseSchema> {
  /** The name of its folder. No agent sees it. */
  name: string;
}

/** The names of the cases in a folder, sorted. */
export function caseNames(folder: string): string[] {
  if (!existsSync(folder)) throw new TerminalError('CASE_INVALID', `there is no folder ${folder}`);
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'case.yaml')));
  if (names.length === 0)
    throw new TerminalError('CASE_INVALID', `${folder} has no case; a case is a folder with a case.yaml`);
  return names.sort();
}

/** Reads a case. @throws TerminalError `CASE_INVALID` with file and field. */
export function readCase(folder: string, name: string): Case {
  return { ...readFile(join(folder, name, 'case.yaml'), caseSchema), name };
}

/** Reads the truth of a case. @throws TerminalError `CASE_INVALID` with file and field. */
export const readTruth = (folder: string, name: string): Truth =>
  readFile(join(folder, name, 'truth.yaml'), truthSchema);

function readFile<T>(file: string, schema: z.ZodType<T>): T {
  if (!existsSync(file)) throw new TerminalError('CASE_INVALID', `${file} is missing`);
  let value: unknown;
  try {
    value = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const [place] = error instanceof YAMLParseError ? (error.linePos ?? []) : [];
    const reason =
      place === undefined
        ? `cannot be read: ${errorMessage(error)}`
        : `is no YAML: line ${place.line}, column ${place.col} does not fit the lines before it`;
    throw new TerminalError('CASE_INVALID', `${file} ${reason}`);
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new TerminalError('CASE_INVALID', `${file}: ${firstFault(read.error, value)}`);
}
