// The original alert, and the alert as sent to agents. It is read on request.

import { useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useRef } from 'preact/hooks';
import type { AlertOriginal } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Marked } from '../../parts/Untrusted.tsx';
import s from '../../session/side/side.module.css';
import { useSession } from '../../session/state/sessionState.ts';

/** JSON on several lines; any other text as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Two parts that unfold. */
export function OriginalAlert() {
  const { sessionId } = useSession();
  const read = useSignal<AlertOriginal | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const isReading = useRef(false);
  const readPart = async (part: number): Promise<void> => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      const next = await api.get('/v1/sessions/{sessionId}/alert', { sessionId, part });
      read.value = { ...next, body: (read.value?.body ?? '') + next.body };
      error.value = undefined;
    } catch (cause) {
      error.value = asError(cause);
    } finally {
      isReading.current = false;
    }
  };
  const onToggle = (event: TargetedEvent<HTMLDetailsElement>) => {
    if (event.currentTarget.open && read.value === undefined) void readPart(1);
  };
  const shown = read.value;
  const isMore = shown !== undefined && shown.part < shown.parts;
  return (
    <>
      <details onToggle={onToggle}>
        <summary>Original</summary>
        {error.value && <Problem error={error.value} onRetry={() => void readPart((shown?.part ?? 0) + 1)} />}
        {shown && (
          <Text
            text={isMore ? shown.body : pretty(shown.body)}
            name="The original alert, with secrets masked"
          />
        )}
        {isMore && (
          <button type="button" class={parts.quiet} onClick={() => void readPart(shown.part + 1)}>
            Show part {shown.part + 1} of {shown.parts}
          </button>
        )}
      </details>
      <details onToggle={onToggle}>
        <summary>As sent to agents</summary>
        {shown && <Text text={shown.promptText} name="The alert as sent to agents" />}
      </details>
    </>
  );
}

function Text({ text, name }: { text: string; name: string }) {
  return (
    <>
      <CopyButton text={text} what={name} />
      <pre class={s.original} tabIndex={0} role="region" aria-label={name}>
        <Marked text={text} />
      </pre>
    </>
  );
}
