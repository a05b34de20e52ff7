// Every error code with cause and remedy, as docs/errors.md. `/errors#CODE` names a code.

import { useEffect } from 'preact/hooks';
import text from '../../../docs/errors.md?raw';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { Markdown } from '../markdown/Markdown.tsx';
import parts from '../parts/parts.module.css';
import s from './errors.module.css';
import { errorTable } from './errorTable.ts';

const ENTRIES = errorTable(text);

/** The page. */
export function ErrorsPage() {
  useEffect(() => {
    const show = () => {
      const entry = document.getElementById(location.hash.slice(1));
      entry?.focus();
      entry?.scrollIntoView({ block: 'start' });
    };
    show();
    addEventListener('hashchange', show);
    return () => removeEventListener('hashchange', show);
  }, []);
  return (
    <>
      <PageHead title="Errors">
        <p class={parts.meta}>
          A terminal error ends its execution, stage or session. After a retryable one, the work is tried
          again.
        </p>
      </PageHead>
      <div class={frame.page}>
        <ul class={`${parts.panel} ${s.list}`}>
          {ENTRIES.map(({ code, family, cause, remedy }) => (
            <li key={code} id={code} tabIndex={-1}>
              <h2>
                <a href={`#${code}`}>{code}</a> <span class={parts.meta}>{family}</span>
              </h2>
              <Markdown source={cause} />
              <h3>What to do</h3>
              <Markdown source={remedy} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
