// The title of the browser's tab.

import { useEffect } from 'preact/hooks';

/** Sets the title of the tab to that of the page. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Inquest`;
  }, [title]);
}
