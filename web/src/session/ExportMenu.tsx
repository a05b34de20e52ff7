// The menu that exports a session as markdown or JSON, copies its summary, or prints it.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { loadLater } from '../parts/lazyPart.tsx';
import parts from '../parts/parts.module.css';
import s from './session.module.css';

const Items = loadLater('The menu', () => import('./ExportItems.tsx').then((module) => module.ExportItems));

/** The menu of exports. @param props.outcome receives the failure of an export. */
export function ExportMenu({ view, outcome }: { view: SessionView; outcome: Signal<string> }) {
  const isOpen = useSignal(false);
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current !== null) menu.current.open = false;
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
    <details
      class={s.export}
      ref={menu}
      onToggle={() => {
        isOpen.value = menu.current?.open === true;
      }}
    >
      <summary class={parts.button}>Export</summary>
      {isOpen.value && <Items view={view} outcome={outcome} close={close} />}
    </details>
  );
}
