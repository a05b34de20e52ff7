// The budgets of system.yaml: tokens of a day or a month, by tenant, user and label.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { PlannedAgent, UsageLimit } from '../core/schema/agent.ts';
import { nameSchema } from '../core/schema/common.ts';
import { TENANT_ID } from '../core/schema/session.ts';
import { strictMapping } from './fields.ts';

/** Each budget is one more count for each call of a model. */
const MAX_BUDGETS = 20;
/** Characters of a value. A longer one ends with its digest, so that it differs from all others. */
const MAX_VALUE = 60;
const DIGEST_CHARACTERS = 16;
const LABEL = 'label.';
/** The used share of a budget from which on sessions get the small model. */
export const DEGRADE_AT = 0.8;

const text = z.string().trim().min(1).max(500);

const budgetRule = strictMapping({
  tokens: z.int().min(1),
  period: z.enum(['day', 'month']),
  /** Only sessions of this tenant, user and labels count. Absent: all. */
  tenant: z.string().regex(TENANT_ID, 'must have letters, digits, "_" and "-", at most 63').optional(),
  user: text.optional(),
  labels: z.record(text, text).optional(),
  /** `tenant`, `user` or `label.NAME`: a separate number of tokens per value. Absent: all together. */
  each: z
    .string()
    .refine(
      (each) => ['tenant', 'user'].includes(each) || (each.startsWith(LABEL) && each.length > LABEL.length),
      'must be tenant, user or label.NAME',
    )
    .optional(),
});

/** `budgets` of system.yaml, by name. */
export const budgetRulesField = z
  .record(nameSchema, budgetRule)
  .refine((all) => Object.keys(all).length <= MAX_BUDGETS, `has more than ${MAX_BUDGETS} entries`)
  .optional();

/** The budgets of system.yaml by name. */
export type BudgetRules = Readonly<Record<string, z.output<typeof budgetRule>>>;

/** The properties of a session or question that decide which budgets count it. */
interface BudgetOwner {
  /** The tenant of the session. */
  tenantId: string;
  /** The user who asks or for whom an alert is investigated; null without one. */
  userId: string | null;
  /** The labels of the alert; null without an alert. */
  labels: Readonly<Record<string, string>> | null;
}

/** The limits that count a session or question, in the order of their names. */
export function listUsageLimits(rules: BudgetRules, { tenantId, userId, labels }: BudgetOwner): UsageLimit[] {
  const labelOf = (name: string) =>
    labels !== null && Object.hasOwn(labels, name) ? labels[name] : undefined;
  return Object.entries(rules)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { tokens: limit, period, tenant, user, labels: wanted = {}, each }]): UsageLimit[] => {
      if (tenant !== undefined && tenant !== tenantId) return [];
      if (user !== undefined && user !== userId) return [];
      if (Object.entries(wanted).some(([label, value]) => labelOf(label) !== value)) return [];
      if (each === undefined) return [{ chain: null, limit, budget: { name, period } }];
      const values = { tenant: tenantId, user: userId ?? undefined };
      const of = each.startsWith(LABEL)
        ? labelOf(each.slice(LABEL.length))
        : values[each as 'tenant' | 'user'];
      return of ? [{ chain: null, limit, budget: { name, period, of: shortValue(of) } }] : [];
    });
}

function shortValue(value: string): string {
  if (value.length <= MAX_VALUE) return value;
  return `${value.slice(0, MAX_VALUE).toWellFormed()}…${createHash('sha256').update(value).digest('hex').slice(0, DIGEST_CHARACTERS)}`;
}

/** The limits of an agent that are budgets of system.yaml. */
export function namedLimits({ limits: { dailyTokens = [] } }: Pick<PlannedAgent, 'limits'>): UsageLimit[] {
  return dailyTokens.filter(({ budget }) => budget !== undefined);
}

/**
 * An agent whose budgets of system.yaml are `limits`, beside its limits of the system and the chain.
 * @param others the latter. Default: the agent's own.
 */
export function withLimits(
  agent: PlannedAgent,
  limits: readonly UsageLimit[],
  others = (agent.limits.dailyTokens ?? []).filter(({ budget }) => budget === undefined),
): PlannedAgent {
  const { dailyTokens: _, ...rest } = agent.limits;
  const all = [...others, ...limits];
  return { ...agent, limits: { ...rest, ...(all.length > 0 && { dailyTokens: all }) } };
}

/** For people: `budget shop for alice`. */
export function budgetText({ name, of }: NonNullable<UsageLimit['budget']>): string {
  return of === undefined ? `budget ${name}` : `budget ${name} for ${of}`;
}
