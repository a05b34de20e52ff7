// The messages between an agent and its model, by iteration, as the API has them.

import { useEffect, useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { ConversationMessage } from '../../../shared/lists/apiTypes.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { countText, firstLines } from '../model/format.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { Problem } from '../parts/Problem.tsx';
import parts from '../parts/parts.module.css';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './messages.module.css';
import { type MessagesState, openMessages } from './messagesState.ts';

/** Characters up to which a text is shown without a click. */
const SHOWN = 1_200;

/** The page. */
export function MessagesPage() {
  const { params } = useRoute();
  const { sessionId = '', executionId = '' } = params;
  return <Messages key={`${sessionId}/${executionId}`} sessionId={sessionId} executionId={executionId} />;
}

function Messages({ sessionId, executionId }: { sessionId: string; executionId: string }) {
  const state = useMemo(() => openMessages({ sessionId, executionId }), [sessionId, executionId]);
  useEffect(() => {
    void showLinked(state);
    return state.stop;
  }, [state]);
  const { messages, next, error, readNext } = state;
  return (
    <>
      <PageHead title="Messages">
        <p class={parts.meta}>
          <a href={`/s/${encodeURIComponent(sessionId)}`}>Back to the session</a> ·{' '}
          <Untrusted text={executionId} /> · masked, as stored; results in frames
        </p>
      </PageHead>
      <div class={frame.page}>
        {error.value && <Problem error={error.value} onRetry={() => void readNext()} />}
        {next.value === undefined && !error.value && <p role="status">Loading</p>}
        {next.value === null && messages.value.length === 0 && <p>There are no messages yet.</p>}
        <ol class={s.messages}>
          {messages.value.map((message, index) => (
            <Message
              key={message.messageId}
              message={message}
              isFirst={message.iteration !== messages.value[index - 1]?.iteration}
            />
          ))}
        </ol>
        {next.value && (
          <button type="button" class={parts.button} onClick={() => void readNext()}>
            Show later messages
          </button>
        )}
      </div>
    </>
  );
}

/** Reads up to the iteration that the address names, and scrolls to it once. */
async function showLinked(state: MessagesState): Promise<void> {
  const id = location.hash.slice(1);
  const iteration = /^i-(\d+)$/.exec(id)?.[1];
  await state.readUntil(iteration === undefined ? undefined : Number(iteration));
  // After the messages are rendered.
  requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView({ block: 'start' }));
}

/** @param isFirst of its iteration: links lead to it. */
function Message({ message, isFirst }: { message: ConversationMessage; isFirst: boolean }) {
  const { sequenceNumber, role, iteration, model, blocks, cut } = message;
  return (
    <li class={parts.panel} id={isFirst && iteration !== null ? `i-${iteration}` : undefined}>
      <div class={parts.panelHead}>
        <h2>
          {sequenceNumber}. {role}
        </h2>
        <span class={parts.meta}>
          {iteration !== null && `iteration ${iteration}`}
          {model !== null && (
            <>
              {' '}
              · <Untrusted text={model} />
            </>
          )}
          {cut && ' · cut: the API has the whole message'}
        </span>
      </div>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </li>
  );
}

function Block({ block }: { block: ConversationMessage['blocks'][number] }) {
  const { type, text, toolName, isError, mimeType, signed } = block;
  const facts = [
    type.replaceAll('_', ' '),
    toolName,
    isError === true && 'error',
    mimeType,
    signed && 'signed by its provider',
    countText(text.length, 'character'),
  ].filter(Boolean);
  return (
    <div class={s.block}>
      <p class={parts.meta}>
        <Untrusted text={facts.join(' · ')} />{' '}
        <CopyButton text={text} what={`the ${type.replaceAll('_', ' ')}`} />
      </p>
      {text.length <= SHOWN ? (
        <Text text={text} />
      ) : (
        <details>
          <summary>
            <Untrusted text={firstLines(text, 200)} />
          </summary>
          <Text text={text} />
        </details>
      )}
    </div>
  );
}

function Text({ text }: { text: string }) {
  return (
    <pre class={s.text} tabIndex={0}>
      <Untrusted text={text} />
    </pre>
  );
}
