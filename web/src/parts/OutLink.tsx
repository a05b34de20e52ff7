// Links to other sites: only http and https, opened in a new page without a referrer or an opener.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { safeUrl } from '../../../shared/text/webLink.ts';
import { Dialog } from './Dialog.tsx';
import s from './parts.module.css';

interface OutLinkProps {
  url: string;
  children: ComponentChildren;
  /** The link opens without a question. Only for addresses that no model wrote: a model can put data into an address. */
  opensAtOnce?: boolean;
  /** The host is only in the title of the link. */
  isShort?: boolean;
}

/** A link, followed by its host unless the text is the host. Anything that is no web address is shown as text. */
export function OutLink({ url: text, children, opensAtOnce = false, isShort = false }: OutLinkProps) {
  const isConfirming = useSignal(false);
  const url = safeUrl(text);
  if (url === undefined)
    return (
      <span>
        {children} <bdi class={s.meta}>({text.slice(0, 200)})</bdi>
      </span>
    );
  const ask = (event: Event) => {
    if (opensAtOnce) return;
    event.preventDefault();
    isConfirming.value = true;
  };
  const isHost = children === url.host;
  return (
    <span>
      <a
        href={url.href}
        {...(isShort && { title: url.href })}
        target="_blank"
        rel="noreferrer noopener"
        onClick={ask}
        onAuxClick={ask}
      >
        {children}
      </a>
      {!isHost && !isShort && <bdi class={s.meta}> {url.host}</bdi>}
      {isConfirming.value && <Leaving url={url} onClose={() => (isConfirming.value = false)} />}
    </span>
  );
}

function Leaving({ url, onClose }: { url: URL; onClose: () => void }) {
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
