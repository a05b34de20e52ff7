// What an iteration's model was asked for: when a reader wants to know, and always when it was asked more than once.

import { costText, durationText, numberText } from '../../model/format.ts';
import type { Iteration } from '../../model/timeline.ts';
import { Foreign } from '../../parts/Foreign.tsx';
import { Icon } from '../../parts/Icon.tsx';
import s from '../rows/steps.module.css';
import { showsCalls } from '../state/looking.ts';

/** A line below an iteration. */
export function CallFacts({ iteration }: { iteration: Iteration }) {
  const call = iteration.call.value;
  if (call === undefined) return null;
  const { attempts, attemptErrors, model, modelVersion, tokens, usd, durationMs, finishReason } = call;
  if (attempts === 1 && !showsCalls.value) return null;
  const facts = [
    modelVersion ?? model,
    durationText(durationMs),
    tokens === null
      ? 'tokens not counted'
      : `${numberText(tokens.input)} read, ${numberText(tokens.cached)} of them cached, ${numberText(tokens.thinking)} thought, ${numberText(tokens.output)} written`,
    costText({ usd, unpricedCalls: usd === null ? 1 : 0 }),
    ...(finishReason === null ? [] : [`ended with ${finishReason}`]),
  ];
  return (
    <div class={s.callFacts}>
      {showsCalls.value && (
        <p>
          <Foreign text={facts.join(' · ')} />
        </p>
      )}
      {attempts > 1 && (
        <details>
          <summary>
            <Icon name="again" /> Asked {attempts} times
          </summary>
          <ol>
            {attemptErrors.map((error, index) => (
              <li key={index}>
                <Foreign text={error} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
