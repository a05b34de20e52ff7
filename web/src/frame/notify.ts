// Browser notifications about calls that wait for approval. Off until a reader turns them on.

import { signal } from '@preact/signals';

const KEY = 'inquest.notify';
const IS_KNOWN = typeof Notification !== 'undefined';

/** Whether the reader wants notifications, and the browser permits them. */
export const isNotifying = signal(IS_KNOWN && Notification.permission === 'granted' && isChoiceStored());
/** Why they cannot be turned on; '' when they can. */
export const notifyFault = signal(IS_KNOWN ? '' : 'This browser has no notifications.');

function isChoiceStored(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

/** Turns notifications on or off. The browser asks the reader for its permission. */
export async function toggleNotifying(): Promise<void> {
  const wanted = !isNotifying.value;
  if (wanted && (await Notification.requestPermission()) !== 'granted') {
    notifyFault.value = 'This browser does not permit notifications of this page.';
    return;
  }
  setNotifying(wanted);
}

/** Whether a hidden page keeps its stream: without it no notification could be sent. */
export const staysWhenHidden = (): boolean => isNotifying.peek();

function setNotifying(wanted: boolean): void {
  isNotifying.value = wanted;
  try {
    if (wanted) localStorage.setItem(KEY, 'on');
    else localStorage.removeItem(KEY);
  } catch {
    // Kept until the page is left.
  }
}

/**
 * Notifies of a call that waits for approval while the page is hidden. The notification has texts of the page
 * and none of an agent, because it appears outside of the page. A browser that refuses notifications turns
 * them off (`notifyFault`).
 * @param tag the session: a later notification about it replaces the earlier one.
 */
export function notifyOfApproval(tag: string, address: string): void {
  if (!isNotifying.peek() || !document.hidden) return;
  try {
    showNotification(tag, address);
  } catch {
    // Chrome for Android permits notifications, but throws for those of a page.
    setNotifying(false);
    notifyFault.value = 'This browser does not show notifications of a page.';
  }
}

function showNotification(tag: string, address: string): void {
  const body = 'An agent requests to run a tool.';
  const notification = new Notification('Inquest: approval required', { body, tag });
  notification.onclick = () => {
    window.focus();
    if (location.pathname !== address) location.assign(address);
    notification.close();
  };
}
