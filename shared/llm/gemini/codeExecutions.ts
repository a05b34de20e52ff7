// Pairs the code a provider ran with its results: by id where both have one, else in order.

import type { CodeExecution } from '../../core/contract/llm.ts';
import { asObject, asText, type JsonObject } from '../../text/json.ts';
import type { GeminiPart } from './content.ts';

/**
 * The executions of an answer, in the order of the code. Code that is followed by other code before its
 * result is not paired, and neither is a result without code: both are recorded in real answers.
 */
export function pairCodeExecutions(parts: readonly GeminiPart[]): CodeExecution[] {
  const executions: CodeExecution[] = [];
  for (const part of parts) {
    const isCode = part.executableCode !== undefined;
    if (isCode) executions.push(readExecutableCode(asObject(part.executableCode)));
    if (part.codeExecutionResult === undefined) continue;
    const result = readCodeResult(asObject(part.codeExecutionResult));
    // Code and result in one part belong together, whatever waits.
    const code = isCode ? executions.at(-1) : waitingCode(executions, result.id);
    if (code === undefined) executions.push(result);
    else Object.assign(code, result);
  }
  return executions;
}

function readExecutableCode(part: JsonObject): CodeExecution {
  const id = asText(part.id);
  const language = asText(part.language);
  return {
    ...(id !== undefined && { id }),
    code: typeof part.code === 'string' ? part.code : '',
    ...(language !== undefined && { language }),
  };
}

function readCodeResult(part: JsonObject): CodeExecution {
  const id = asText(part.id);
  const outcome = asText(part.outcome);
  return {
    ...(id !== undefined && { id }),
    result: typeof part.output === 'string' ? part.output : '',
    ...(outcome !== undefined && { outcome }),
  };
}

function waitingCode(executions: CodeExecution[], id: string | undefined): CodeExecution | undefined {
  const byId = executions.find((one) => id !== undefined && one.id === id && one.result === undefined);
  if (byId !== undefined) return byId;
  const last = executions.at(-1);
  if (last === undefined || last.result !== undefined) return undefined;
  return id === undefined || last.id === undefined ? last : undefined;
}
