// Links to other sites: only http and https, opened in a new page without a referrer or an opener.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { safeUrl } from '../../../shared/text/webLink.ts';
import { loadLater } from './lazyPart.tsx';
import s from './parts.module.css';

const Leaving = loadLater('The question', () => import('./Leaving.tsx').then((module) => module.Leaving));

interface OutLinkProps {
  url: string;
  children: ComponentChildren;
  /** The link opens without question: only for addresses that no model wrote (data leaks). */
  opensAtOnce?: boolean;
  /** The host is only in the title of the link. */
  isShort?: boolean;
}

/** A link, and its host unless that is the text. Anything but a web address is text. */
export function ExternalLink({ url: text, children, opensAtOnce = false, isShort = false }: OutLinkProps) {
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
