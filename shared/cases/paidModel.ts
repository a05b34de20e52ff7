// A client of models that stores every answer before it is used, so that no answer is paid for twice, and
// that reserves the most a call can cost before it is sent.

import { createHash } from 'node:crypto';
import type { CallReport, LlmClient, LlmRequest, LlmResponse } from '../core/contract/llm.ts';
import { TerminalError } from '../core/errors.ts';
import { costOfCall, type ModelPrice } from '../core/schema/cost.ts';
import { usdText } from '../text/amounts.ts';
import { appendJsonLine, readJsonLines } from './jsonLines.ts';

/** Output tokens of an answer whose model has no limit of its own. */
const MAX_OUTPUT = 65_536;

/** The budget of an evaluation is used up; everything that is stored stays. */
export class BudgetUsedUp extends Error {}

/** The money of an evaluation, in US dollars. */
export interface Purse {
  spent: number;
  reserved: number;
  /** Undefined: no limit. */
  max: number | undefined;
}

interface StoredAnswer {
  key: string;
  response: LlmResponse;
  report: Omit<CallReport, 'attemptTimes' | 'answerStarted'>;
  /** Its cost, in US dollars. */
  usd: number;
  /** Milliseconds of its attempts. Absent in answers of older versions. */
  ms?: number;
}

/** A client that counts the time of its answers, also those that were stored. */
interface PaidModel extends LlmClient {
  /** Milliseconds of all attempts, and their cost in US dollars; null if a price is unknown. */
  taken(): { ms: number; usd: number | null };
}

/** A sent call, with its maximum cost in all attempts. Without an answer it might have been paid for. */
interface SentCall {
  key: string;
  sentUsd: number;
}

/**
 * @param file holds the calls of a run and their answers. Its costs are added to `purse.spent`.
 * @param pricesOf undefined for a model without known prices, which `max` refuses.
 */
export function paidModel(
  llm: LlmClient,
  file: string,
  purse: Purse,
  pricesOf: (model: LlmRequest['model']) => readonly ModelPrice[] | undefined,
): PaidModel {
  const known = new Map<string, StoredAnswer>();
  const sent = new Map<string, number>();
  for (const line of readJsonLines<StoredAnswer | SentCall>(file)) {
    if ('response' in line) known.set(line.key, line);
    else sent.set(line.key, line.sentUsd);
  }
  for (const { usd } of known.values()) purse.spent += usd;
  // A crash lost their answers; each can have cost all of its bound.
  for (const [key, usd] of sent) if (!known.has(key)) purse.spent += usd;
  const seen = new Map<string, number>();
  const taken: ReturnType<PaidModel['taken']> = { ms: 0, usd: 0 };
  const take = ({ ms = 0, usd }: Pick<StoredAnswer, 'ms' | 'usd'>, isPriced: boolean) => {
    taken.ms += ms;
    taken.usd = isPriced && taken.usd !== null ? taken.usd + usd : null;
  };
  return {
    taken: () => taken,
    async generate(request, options) {
      const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 32);
      const nth = (seen.get(digest) ?? 0) + 1;
      seen.set(digest, nth);
      const key = `${digest}.${nth}`;
      const stored = known.get(key);
      const prices = pricesOf(request.model);
      if (stored !== undefined) {
        Object.assign(options.report, stored.report);
        take(stored, prices !== undefined);
        return stored.response;
      }
      const bound = estimateMaxCost(request, prices, purse);
      let reserved = 0;
      const reserve = () => {
        purse.reserved += bound;
        reserved += bound;
        appendJsonLine(file, { key, sentUsd: reserved } satisfies SentCall);
      };
      const lacksMoney = () => {
        if (purse.max === undefined || purse.spent + purse.reserved + bound <= purse.max) return undefined;
        return new BudgetUsedUp(
          `the next call can cost ${usdText(bound)}, and ${purse.spent.toFixed(4)} of ${purse.max} USD are spent`,
        );
      };
      let usedUp = lacksMoney();
      if (usedUp !== undefined) throw usedUp;
      // A further attempt is paid for, too.
      const mayRepeat = async () => {
        if ((await options.mayRepeat?.()) === false) return false;
        usedUp = lacksMoney();
        if (usedUp === undefined) reserve();
        return usedUp === undefined;
      };
      reserve();
      const startedAt = performance.now();
      try {
        const response = await llm.generate(request, { ...options, mayRepeat });
        const { attemptTimes, answerStarted: _, ...report } = options.report;
        const attempts = attemptTimes?.reduce((sum, one) => sum + one.endedMs - one.startedMs, 0);
        const ms = Math.round(attempts ?? performance.now() - startedAt);
        const answer = { key, response, report, usd: spentOn(options.report, reserved, prices), ms };
        take(answer, prices !== undefined);
        appendJsonLine(file, answer);
        return response;
      } catch (error) {
        throw usedUp ?? error;
      } finally {
        purse.reserved -= reserved;
        purse.spent += spentOn(options.report, reserved, prices);
      }
    },
  };
}

/** The cost of a call. One without counts could have cost all of it. */
function spentOn(
  { usage, responseBytes, serviceTier }: CallReport,
  bound: number,
  prices: readonly ModelPrice[] | undefined,
): number {
  return usage === undefined ? (responseBytes > 0 ? bound : 0) : priceUsage(usage, prices, serviceTier);
}

/** At the price of the tier that answered; at the standard one where that of the tier is unknown. */
const priceUsage = (
  usage: Parameters<typeof costOfCall>[0],
  prices: readonly ModelPrice[] | undefined,
  tier: CallReport['serviceTier'],
): number => costOfCall(usage, prices, new Date(), tier) ?? costOfCall(usage, prices, new Date()) ?? 0;

/** The most that a call can cost: a token has at least one byte. */
function estimateMaxCost(
  request: LlmRequest,
  prices: readonly ModelPrice[] | undefined,
  { max }: Purse,
): number {
  const { model: _, ...content } = request;
  const input = Buffer.byteLength(JSON.stringify(content));
  const output = request.model.maxOutputTokens ?? MAX_OUTPUT;
  const usage = { input, output, thinking: 0, cached: 0, total: input + output };
  const bound = costOfCall(usage, prices, new Date());
  if (bound === null && max !== undefined)
    throw new TerminalError(
      'CASE_INVALID',
      `the price of ${request.model.model} is unknown, so --max-usd cannot be kept: add it to models.yaml, or leave --max-usd out`,
    );
  return bound ?? 0;
}
