// The models of commands that run cases and recordings: the real one, or a scripted one.

import { InvalidArgumentError } from 'commander';
import { realModel } from '../../../local/model.ts';
import { createLlmClient } from '../../../shared/llm/chooseClient.ts';
import { findListPrices } from '../../../shared/llm/listPrices.ts';
import { MODEL_CLIENTS } from '../../../shared/wiring/extensionParts.ts';
import { UsageError } from '../../process/usageError.ts';

/** A client of the real models. @throws UsageError without credentials. */
export function openModels(env: NodeJS.ProcessEnv) {
  if (realModel(env) === undefined)
    throw new UsageError(
      'no credentials of a model are set; set GEMINI_API_KEY, or see docs/configuration.md',
    );
  return {
    llm: createLlmClient({ env, clients: MODEL_CLIENTS, log: () => {} }),
    listPrices: findListPrices,
  };
}

/** A number of runs, for an option. @throws InvalidArgumentError */
export function positive(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('must be a whole number from 1 on');
  return value;
}

/** An amount of money, for an option. @throws InvalidArgumentError */
export function amount(text: string): number {
  const value = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (value === 0) throw new InvalidArgumentError('must be a number above 0');
  return value;
}

/** The exit code of a command that `--max-usd` stopped. */
export const STOPPED = 4;
