// Facts of an iteration's model call: on request, and always after more than one attempt.

import { costFact, durationText, numberText } from '../../model/format.ts';
import type { Iteration } from '../../model/timeline.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from '../rows/steps.module.css';
import { useSession } from '../state/sessionState.ts';
import { showsCalls } from '../state/stepFilter.ts';

function messagesAddress(sessionId: string, { executionId, number }: Iteration): string {
  return `/s/${encodeURIComponent(sessionId)}/messages/${encodeURIComponent(executionId)}#i-${number}`;
}

/** A line below an iteration. */
export function CallFacts({ iteration }: { iteration: Iteration }) {
  const { sessionId } = useSession();
  const call = iteration.call.value;
  if (call === undefined) return null;
  const { attempts, attemptErrors, model, modelVersion, tokens, usd, durationMs, finishReason } = call;
  if (attempts === 1 && !showsCalls.value) return null;
  const facts = [
    modelVersion ?? model,
    durationText(durationMs),
    tokens === null
      ? 'tokens unknown'
      : `${numberText(tokens.input)} input (${numberText(tokens.cached)} cached), ${numberText(tokens.thinking)} thinking, ${numberText(tokens.output)} output`,
    costFact({ usd, unpricedCalls: usd === null ? 1 : 0 }),
    ...(finishReason === null ? [] : [`finish reason ${finishReason}`]),
  ];
  return (
    <div class={s.callFacts}>
      {showsCalls.value && (
        <p>
          <Untrusted text={facts.join(' · ')} /> ·{' '}
          <a href={messagesAddress(sessionId, iteration)}>Messages</a>
        </p>
      )}
      {attempts > 1 && (
        <details>
          <summary>
            <Icon name="again" /> {attempts} attempts
          </summary>
          <ol>
            {attemptErrors.map((error, index) => (
              <li key={index}>
                <Untrusted text={error} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
