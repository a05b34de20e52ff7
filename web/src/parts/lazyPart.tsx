// Parts of a page whose code is loaded after the first ones are drawn.

import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Problem } from './Problem.tsx';

/** A component whose code is loaded later. */
export type LaterPart<P> = ComponentType<P> & {
  /** Loads the code before the component is first drawn. */
  start(): void;
  /** Whether the code has come or could not be loaded. Draws the caller again when that changes. */
  isSettled(): boolean;
};

/**
 * A component that draws nothing until its code has come. The code is loaded when the component is first
 * drawn, after what is drawn with it. Code that cannot be loaded leaves a button that loads it again, and is
 * loaded again when the browser is online. Many browsers keep the failure: then the page is loaded again.
 * @param name The part, for the message after a failure.
 */
export function loadLater<P extends object>(
  name: string,
  load: () => Promise<ComponentType<P>>,
): LaterPart<P> {
  type State = { Part: ComponentType<P> } | 'unread' | 'loading' | 'failed';
  const state = signal<State>('unread');
  const fail = () => {
    state.value = 'failed';
    addEventListener('online', () => state.peek() === 'failed' && read(() => location.reload()), {
      once: true,
    });
  };
  const read = (onFailure = fail) => {
    state.value = 'loading';
    load().then((Part) => {
      state.value = { Part };
    }, onFailure);
  };
  const start = () => {
    if (state.peek() === 'unread') read();
  };
  function Later(props: P) {
    useEffect(start, []);
    const { value } = state;
    if (typeof value === 'object') return <value.Part {...props} />;
    if (value !== 'failed') return null;
    return (
      <Problem
        error={new Error(`${name} could not be loaded.`)}
        onRetry={() => read(() => location.reload())}
      />
    );
  }
  return Object.assign(Later, {
    start,
    isSettled: () => typeof state.value === 'object' || state.value === 'failed',
  });
}
