// Parts of a page whose code is loaded after the first ones are drawn.

import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

/**
 * A component that draws nothing until its code has come. The code is loaded when the component is first drawn, after what is
 * drawn with it. A failure to load it is thrown to the page's boundary, as one of the page's own code.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<{ Part: ComponentType<P> } | { error: unknown } | undefined>(undefined);
  let isLoading = false;
  return function Later(props: P) {
    useEffect(() => {
      if (isLoading) return;
      isLoading = true;
      load().then(
        (Part) => {
          loaded.value = { Part };
        },
        (error: unknown) => {
          loaded.value = { error };
        },
      );
    }, []);
    const found = loaded.value;
    if (found === undefined) return null;
    if ('error' in found) throw found.error;
    return <found.Part {...props} />;
  };
}
