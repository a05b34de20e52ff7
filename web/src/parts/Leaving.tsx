// The question before a link opens another site.

import { Dialog } from './Dialog.tsx';
import s from './parts.module.css';

/** Shows where the link leads. @param onClose Called when it is closed or opened. */
export function Leaving({ url, onClose }: { url: URL; onClose: () => void }) {
  const pairs = [...url.searchParams];
  return (
    <Dialog title="Open another site?" onClose={onClose}>
      <p>This address comes from a model or a log. An address can leak data.</p>
      <dl class={s.arguments}>
        <dt>host</dt>
        <dd>
          <bdi>{url.host}</bdi>
        </dd>
        <dt>path</dt>
        <dd>
          <bdi>{url.pathname}</bdi>
        </dd>
        {pairs.map(([name, value], index) => [
          <dt key={`n${index}`}>
            <bdi>{name}</bdi>
          </dt>,
          <dd key={`v${index}`}>
            <bdi>{value}</bdi>
          </dd>,
        ])}
      </dl>
      <form method="dialog" class={s.actions}>
        <button type="submit" class={s.button}>
          Close
        </button>
        <a class={s.button} href={url.href} target="_blank" rel="noreferrer noopener" onClick={onClose}>
          Open {url.host}
        </a>
      </form>
    </Dialog>
  );
}
