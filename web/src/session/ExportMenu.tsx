// The menu that exports a session as markdown or JSON, copies its summary, or prints it.

import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionView, TimelineEvent } from '../../../shared/api/types.ts';
import { asError } from '../api/client.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import parts from '../parts/parts.module.css';
import s from './session.module.css';
import { useSession } from './state/sessionState.ts';
import { summaryText } from './summaryText.ts';

/** The menu of exports. Live text is not exported. @param props.outcome receives the failure of an export. */
export function ExportMenu({ view, outcome }: { view: SessionView; outcome: Signal<string> }) {
  const { timeline, readTexts, isRead, reading } = useSession();
  /** The stored events. @throws Error while some are missing, and when their results cannot be read. */
  const readStored = async () => {
    if (!isRead.peek() || reading.peek()?.error !== undefined)
      throw new Error('not all steps are loaded. Export again when they are.');
    await readTexts();
    return timeline.all().filter(({ status }) => status !== 'streaming');
  };
  const save = async (
    end: string,
    type: string,
    textOf: (events: TimelineEvent[]) => string | Promise<string>,
  ) => {
    outcome.value = '';
    try {
      download(`${view.sessionId}.${end}`, type, await textOf(await readStored()));
    } catch (cause) {
      outcome.value = `Not exported: ${asError(cause).message}`;
    }
  };
  const saveMarkdown = () =>
    save('md', 'text/markdown', async (events) => (await import('./exportText.ts')).markdownOf(view, events));
  const saveJson = () =>
    save('json', 'application/json', (events) => JSON.stringify({ ...view, timeline: events }, null, 1));
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current !== null) menu.current.open = false;
  };
  const choose = (act: () => void) => {
    close();
    act();
  };
  useEffect(() => {
    const onPointer = ({ target }: Event) => {
      if (target instanceof Node && !menu.current?.contains(target)) close();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || menu.current?.open !== true) return;
      close();
      menu.current.querySelector('summary')?.focus();
    };
    addEventListener('pointerdown', onPointer);
    addEventListener('focusin', onPointer);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('pointerdown', onPointer);
      removeEventListener('focusin', onPointer);
      removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <details class={s.export} ref={menu}>
      <summary class={parts.button}>Export</summary>
      <div>
        <button type="button" class={parts.quiet} onClick={() => choose(() => void saveMarkdown())}>
          Markdown
        </button>
        <button type="button" class={parts.quiet} onClick={() => choose(() => void saveJson())}>
          JSON
        </button>
        <CopyButton
          text={summaryText(view, `${location.origin}/s/${view.sessionId}`)}
          label="Copy as summary"
          what="the summary for a chat or ticket"
        />
        <button type="button" class={parts.quiet} onClick={() => choose(() => print())}>
          Print
        </button>
      </div>
    </details>
  );
}

/** Saves a file. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
