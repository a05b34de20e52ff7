// Links to other places: http and https alone, in a page of their own, which learns nothing of this one.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from './Dialog.tsx';
import s from './parts.module.css';

/** The address of a link that may be followed; undefined for any other. */
export function safeUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    return isWeb && url.username === '' && url.password === '' ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Hosts that the alert and stored sources name: links to them open at once. */
const knownHosts = new Set<string>();

/** Lets links to the hosts of these addresses open at once. */
export function trustHosts(urls: readonly (string | null | undefined)[]): void {
  for (const text of urls) {
    const url = safeUrl(text ?? '');
    if (url !== undefined) knownHosts.add(url.host);
  }
}

/** A link, with its host behind it where the text does not name it. An address that is none is text. */
export function OutLink({ url: text, children }: { url: string; children: ComponentChildren }) {
  const isAsked = useSignal(false);
  const url = safeUrl(text);
  if (url === undefined)
    return (
      <span>
        {children} <bdi class={s.meta}>({text.slice(0, 200)})</bdi>
      </span>
    );
  const isKnown = knownHosts.has(url.host);
  const ask = (event: Event) => {
    if (isKnown) return;
    event.preventDefault();
    isAsked.value = true;
  };
  const isHost = children === url.host;
  return (
    <span>
      <a href={url.href} target="_blank" rel="noreferrer noopener" onClick={ask} onAuxClick={ask}>
        {children}
      </a>
      {!isHost && <bdi class={s.meta}> {url.host}</bdi>}
      {isAsked.value && <Leaving url={url} onClose={() => (isAsked.value = false)} />}
    </span>
  );
}

function Leaving({ url, onClose }: { url: URL; onClose: () => void }) {
  const pairs = [...url.searchParams];
  return (
    <Dialog title="Leave for another site?" onClose={onClose}>
      <p>A model or a log names this address. An address can carry data away.</p>
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
          Stay
        </button>
        <a class={s.button} href={url.href} target="_blank" rel="noreferrer noopener" onClick={onClose}>
          Open {url.host}
        </a>
      </form>
    </Dialog>
  );
}
