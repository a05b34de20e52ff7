// Fields of structured answers that a destination shows, of the last stage with any.

import type { StateDeps } from '../../../core/kernel/deps.ts';
import { captureFailure } from '../../../core/kernel/documents/reading.ts';
import { structuredAnswer } from '../../../core/kernel/execution/structuredAnswer.ts';
import { composeExecutionId, executionType, paths } from '../../../core/schema/coreDocuments.ts';
import type { Session } from '../../../core/schema/session.ts';
import { answerParts } from '../../../text/structuredAnswer.ts';

/** A field of a structured answer. */
export interface AnswerField {
  /** Its name. With the agent, if several agents of the stage have the field. */
  name: string;
  /** Its value, as the agent gave it, masked. */
  value: unknown;
}

/**
 * The named fields of a session that has ended, in their order. Reads nothing if no field is named.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export async function readAnswerFields(
  session: Pick<Session, 'sessionId' | 'chain'>,
  names: readonly string[],
  { store }: Pick<StateDeps, 'store'>,
): Promise<AnswerField[]> {
  if (names.length === 0) return [];
  const groups = session.chain.stages.flatMap(({ agents, synthesis }, position) =>
    (synthesis === null ? [agents] : [agents, [synthesis]]).map((group) => ({ index: position + 1, group })),
  );
  for (const { index, group } of groups.toReversed()) {
    const answers = await Promise.all(
      group.map(async ({ name: agent }) => {
        const path = paths.execution(session.sessionId, composeExecutionId(index, agent));
        const execution = (await captureFailure(store.get(path, executionType))).value?.value;
        const answer = execution && (await structuredAnswer(execution, { store }));
        return { agent, fields: new Map(answer && answerParts(answer.json).fields) };
      }),
    );
    const found = names.flatMap((name) => {
      const having = answers.filter(({ fields }) => fields.has(name));
      return having.map(({ agent, fields }) => ({
        name: having.length > 1 ? `${name} (${agent})`.slice(0, MAX_NAME) : name,
        value: fields.get(name),
      }));
    });
    if (found.length > 0) return found.slice(0, names.length);
  }
  return [];
}

/** The longest name of a fact. */
const MAX_NAME = 40;
