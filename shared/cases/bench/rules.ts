// Rules over the results of tools: which calls to make, and the cause that their texts name. Pure.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { projectFile } from '../../projectFiles.ts';

const readSchema = z.strictObject({
  tool: z.string(),
  /** `$name` is a variable. */
  arguments: z.record(z.string(), z.string()).default({}),
  /** One call for each match of `each` in the results of this read, whose named groups are variables. */
  of: z.string().optional(),
  each: z.string().optional(),
  /** Only if no rule holds without it. */
  late: z.boolean().default(false),
});
const patterns = z.record(z.string(), z.string());
const ruleSchema = z.strictObject({
  cause: z.string(),
  /** `app/$app`. */
  object: z.string(),
  /** The state that is quoted is one of this object. Default: that of `object`. */
  component: z.string().optional(),
  /** By read: an expression that matches a result. Named groups are variables, equal in all of them. */
  all: patterns,
  /** By read: an expression that matches none of its results. */
  none: patterns.default({}),
  /** By read: the lines to quote. */
  quote: patterns.default({}),
});
const tableSchema = z.strictObject({
  /** The labels of causes by their taxonomy. */
  taxonomies: z.record(z.string(), z.array(z.string())),
  reads: z.record(z.string(), readSchema),
  /** The first that holds counts; of its solutions that with the largest `score`. */
  rules: z.array(ruleSchema),
});
type RuleTable = z.infer<typeof tableSchema>;

/** A call that a table asks for, and its answer. */
interface Reading {
  id: string;
  vars: Vars;
  tool: string;
  arguments: Record<string, string>;
  /** Undefined before the call is answered. */
  text: string | undefined;
}
type Vars = Readonly<Record<string, string>>;

/** A cause that a rule found. */
export interface Finding {
  cause: string;
  object: string;
  component: string;
  quotes: string[];
}

let table: RuleTable | undefined;

/** The table of Cloud-OpsBench. The file is read at the first call. */
export function cloudOpsRules(): RuleTable {
  table ??= tableSchema.parse(
    parse(readFileSync(projectFile('shared/cases/bench/cloudOpsRules.yaml'), 'utf8')),
  );
  return table;
}

/** The next calls, and the finding once there are none. @param answerTo the text of an answered call. */
export function applyRules(
  { reads, rules }: RuleTable,
  vars: Vars,
  answerTo: (tool: string, given: Record<string, string>) => string | undefined,
): { calls: Pick<Reading, 'tool' | 'arguments'>[]; finding?: Finding } {
  const readings: Reading[] = [];
  const expand = (isLate: boolean) => {
    for (const [id, read] of Object.entries(reads)) {
      if (read.late !== isLate) continue;
      const found =
        read.of === undefined
          ? [vars]
          : readings
              .filter((one) => one.id === read.of)
              .flatMap((one) =>
                matchNamedGroups(read.each ?? '', one).map((groups) => ({ ...one.vars, ...groups })),
              );
      for (const own of found) {
        const given = Object.fromEntries(
          Object.entries(read.arguments).map(([name, value]) => [name, fill(value, own)]),
        );
        if (
          readings.some(
            (one) => one.tool === read.tool && one.id === id && isSameReading(one.arguments, given),
          )
        )
          continue;
        readings.push({ id, vars: own, tool: read.tool, arguments: given, text: answerTo(read.tool, given) });
      }
    }
    return readings.filter(({ text }) => text === undefined);
  };
  const early = expand(false);
  if (early.length > 0) return { calls: early };
  const first = findByRules(rules, readings, vars);
  if (first !== undefined) return { calls: [], finding: first };
  const late = expand(true);
  if (late.length > 0) return { calls: late };
  const finding = findByRules(rules, readings, vars);
  return { calls: [], ...(finding !== undefined && { finding }) };
}

const isSameReading = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

function findByRules(
  rules: RuleTable['rules'],
  readings: readonly Reading[],
  vars: Vars,
): Finding | undefined {
  for (const rule of rules) {
    const found = solve(Object.entries(rule.all), readings, vars)
      .filter((own) =>
        Object.entries(rule.none).every(
          ([id, pattern]) => solve([[id, pattern]], readings, own).length === 0,
        ),
      )
      .toSorted((a, b) => Number(b.score ?? 0) - Number(a.score ?? 0));
    const [own] = found;
    if (own === undefined) continue;
    const quotes = Object.entries(rule.quote).flatMap(([id, pattern]) =>
      readings.flatMap((one) =>
        isOwnReading(one, id, own) ? (findMatchedLines(fill(pattern, own, true), one.text)[0] ?? []) : [],
      ),
    );
    const object = fill(rule.object, own);
    return { cause: rule.cause, object, component: fill(rule.component ?? rule.object, own), quotes };
  }
  return undefined;
}

/** All sets of variables for which each expression matches a result of its read. */
function solve(conditions: readonly [string, string][], readings: readonly Reading[], vars: Vars): Vars[] {
  const [first, ...rest] = conditions;
  if (first === undefined) return [vars];
  const [id, pattern] = first;
  return readings
    .filter((one) => isOwnReading(one, id, vars))
    .flatMap((one) => {
      const own = { ...one.vars, ...vars };
      return matchNamedGroups(fill(pattern, own, true), one).flatMap((groups) =>
        solve(rest, readings, { ...own, ...groups }),
      );
    });
}

/** Whether a reading is one of a read, and no variable has another value there. */
const isOwnReading = (one: Reading, id: string, vars: Vars): boolean =>
  one.id === id && Object.entries(one.vars).every(([name, value]) => (vars[name] ?? value) === value);

/** The named groups of each match. */
const matchNamedGroups = (pattern: string, { text = '' }: Reading): Vars[] =>
  [...text.matchAll(new RegExp(pattern, 'gm'))].map(({ groups }) => ({ ...groups }));

/** The whole lines that a match touches. */
const findMatchedLines = (pattern: string, text = ''): string[] =>
  text.split('\n').filter((line) => new RegExp(pattern).test(line));

/** Replaces `$name`. @param isPattern the values stand for themselves in an expression. */
function fill(text: string, vars: Vars, isPattern = false): string {
  return text.replace(/\$(\w+)/g, (all, name: string) => {
    const value = vars[name];
    if (value === undefined) return all;
    return isPattern ? value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : value;
  });
}
