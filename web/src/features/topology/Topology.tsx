// The dependencies of the place of a session. The picture is read when a person opens it, so nothing moves.

import { useSignal } from '@preact/signals';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { loadLater } from '../../parts/lazyPart.tsx';
import parts from '../../parts/parts.module.css';

const Picture = loadLater('The picture', () => import('./Picture.tsx').then((module) => module.Picture));

/** The panel; nothing for a session without an alert. */
export function Topology({ view }: { view: SessionView }) {
  const isOpen = useSignal(false);
  if (view.alert === null) return null;
  return (
    <section class={parts.panel} aria-labelledby="topology-title">
      <div class={parts.panelHead}>
        <h2 id="topology-title">Dependencies</h2>
        {!isOpen.value && (
          <button
            type="button"
            class={parts.button}
            onClick={() => {
              isOpen.value = true;
            }}
          >
            Show
          </button>
        )}
      </div>
      {isOpen.value && <Picture view={view} />}
    </section>
  );
}
