// The entries of the menu of exports. Live text is not exported.

import type { Signal } from '@preact/signals';
import type { SessionView, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { asError } from '../api/client.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import parts from '../parts/parts.module.css';
import { saveFile } from '../parts/saveFile.ts';
import { writeSessionMarkdown } from './exportText.ts';
import { useSession } from './state/sessionState.ts';
import { summaryText } from './summaryText.ts';

interface Props {
  view: SessionView;
  /** Receives the failure of an export. */
  outcome: Signal<string>;
  /** Closes the menu. */
  close: () => void;
}

/** The entries. */
export function ExportItems({ view, outcome, close }: Props) {
  const { timeline, readTexts, isRead, reading, claims } = useSession();
  /** The stored events. @throws Error while some are missing, and when their results cannot be read. */
  const readStored = async () => {
    if (!isRead.peek() || reading.peek()?.error !== undefined)
      throw new Error('not all steps are loaded. Export again when they are.');
    await readTexts();
    return timeline.all().filter(({ status }) => status !== 'streaming');
  };
  const save = async (end: string, type: string, textOf: (events: TimelineEvent[]) => string) => {
    outcome.value = '';
    try {
      saveFile(`${view.sessionId}.${end}`, type, textOf(await readStored()));
    } catch (cause) {
      outcome.value = `Not exported: ${asError(cause).message}`;
    }
  };
  const saveMarkdown = () =>
    save('md', 'text/markdown', (events) => writeSessionMarkdown(view, events, claims.peek()?.values ?? []));
  const saveJson = () =>
    save('json', 'application/json', (events) => JSON.stringify({ ...view, timeline: events }, null, 1));
  const choose = (act: () => void) => {
    close();
    act();
  };
  return (
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
  );
}
