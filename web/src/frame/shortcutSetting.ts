// Whether single keys act. They can be turned off, for those whose voice or switch types them.

import { signal } from '@preact/signals';

const STORED = 'inquest.keys';

/** Whether they act. */
export const areKeysOn = signal(read());

function read(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
}

/** Turns them on or off, also for the next visit. */
export function setKeysOn(isOn: boolean): void {
  areKeysOn.value = isOn;
  try {
    localStorage.setItem(STORED, isOn ? 'on' : 'off');
  } catch {
    // Without storage it holds until the page is left.
  }
}

/** Whether a key is for the focused element. A closed dialog's element keeps focus briefly. */
export function isForField(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || target.closest('dialog:not([open])') !== null) return false;
  return target.closest('input, textarea, select, dialog, [contenteditable]') !== null;
}
