// What can be done to a session: cancel, pause, go on, start, run again, share, export. What ends something asks first.

import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import type { SessionView } from '../../../shared/api/types.ts';
import { postJson } from '../api/client.ts';
import { mayAct } from '../frame/me.ts';
import { hasEnded } from '../model/status.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import { download, markdownOf } from './exportSession.ts';
import s from './session.module.css';
import { isOffline } from './state/offline.ts';
import { useSession } from './state/sessionState.ts';

const ACTS = {
  cancel: {
    name: 'Cancel',
    title: 'Cancel this session?',
    text: 'What runs now is still finished; nothing more is begun. What was found is kept.',
    does: 'Cancel the session',
  },
  rerun: {
    name: 'Run again',
    title: 'Investigate this alert again?',
    text: 'A new session is opened, with the configuration of now. It costs what an investigation costs.',
    does: 'Run again',
  },
} as const;

/** The buttons of the head. */
export function Actions({ view }: { view: SessionView }) {
  const { path, refresh, timeline } = useSession();
  const stored = () => timeline.all().filter(({ status }) => status !== 'streaming');
  const { route } = useLocation();
  const asked = useSignal<keyof typeof ACTS | undefined>(undefined);
  const said = useSignal('');
  const runs = view.status === 'in_progress';
  const ended = hasEnded(view.status);
  const act = async (name: string, done: string) => {
    try {
      await postJson(`${path}/${name}`, {});
      said.value = done;
      refresh();
    } catch (error) {
      said.value = (error as Error).message;
    }
  };
  const share = () => {
    const address = `${location.origin}/s/${view.sessionId}${location.hash}`;
    navigator.clipboard.writeText(address).then(
      () => {
        said.value = 'The link is copied';
      },
      () => {
        said.value = address;
      },
    );
  };
  const off = isOffline.value;
  const may = mayAct.value;
  const why = off ? 'The connection is lost' : undefined;
  return (
    <div class={s.actions}>
      {may && runs && (
        <button
          type="button"
          class={`${parts.button} ${parts.danger}`}
          disabled={off}
          title={why}
          onClick={() => (asked.value = 'cancel')}
        >
          Cancel …
        </button>
      )}
      {may && runs && view.kind === 'investigation' && (
        <button
          type="button"
          class={parts.button}
          disabled={off}
          title={why}
          onClick={() =>
            void (view.steering.paused === null
              ? act('pause', 'Pauses after what runs now')
              : act('resume', 'Goes on'))
          }
        >
          {view.steering.paused === null ? 'Pause' : 'Go on'}
        </button>
      )}
      {may && view.status === 'deferred' && (
        <button
          type="button"
          class={parts.button}
          disabled={off}
          title={why}
          onClick={() => void act('start', 'Starts')}
        >
          Start now
        </button>
      )}
      {may && ended && view.alert !== null && (
        <button
          type="button"
          class={parts.button}
          disabled={off}
          title={why}
          onClick={() => (asked.value = 'rerun')}
        >
          <Icon name="again" /> Run again …
        </button>
      )}
      <button type="button" class={parts.button} onClick={share}>
        <Icon name="link" /> Share
      </button>
      <details class={s.export}>
        <summary class={parts.button}>Export</summary>
        <div>
          <button
            type="button"
            class={parts.quiet}
            onClick={() => download(`${view.sessionId}.md`, 'text/markdown', markdownOf(view, stored()))}
          >
            Markdown
          </button>
          <button
            type="button"
            class={parts.quiet}
            onClick={() =>
              download(
                `${view.sessionId}.json`,
                'application/json',
                JSON.stringify({ ...view, timeline: stored() }, null, 1),
              )
            }
          >
            JSON
          </button>
          <button type="button" class={parts.quiet} onClick={() => print()}>
            Print
          </button>
        </div>
      </details>
      {may && ended && (
        <button
          type="button"
          class={`${parts.button} ${parts.primary}`}
          onClick={() => route(`/s/${view.sessionId}/ask`)}
        >
          <Icon name="speech" /> Ask about it
        </button>
      )}
      <span class={s.said} role="status">
        {said.value}
      </span>
      {asked.value && <Confirm name={asked.value} onClose={() => (asked.value = undefined)} act={act} />}
    </div>
  );
}

interface ConfirmProps {
  name: keyof typeof ACTS;
  onClose: () => void;
  act: (name: string, done: string) => Promise<void>;
}

function Confirm({ name, onClose, act }: ConfirmProps) {
  const { title, text, does } = ACTS[name];
  const done = name === 'cancel' ? 'Is being cancelled' : 'A new session is opened; it appears in the list';
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <form method="dialog" class={parts.actions}>
        <button type="submit" class={parts.button}>
          Leave it as it is
        </button>
        <button
          type="submit"
          class={name === 'cancel' ? `${parts.button} ${parts.danger}` : `${parts.button} ${parts.primary}`}
          onClick={() => void act(name, done)}
        >
          {does}
        </button>
      </form>
    </Dialog>
  );
}
