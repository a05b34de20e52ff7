// The table of keys, where they can be disabled.

import { areKeysOn, setKeysOn } from '../frame/shortcutSetting.ts';
import { Dialog } from '../parts/Dialog.tsx';
import parts from '../parts/parts.module.css';
import s from './keys.module.css';

const TABLE: [string, string][] = [
  ['j k', 'next, previous step'],
  ['i Shift+i', 'next, previous iteration'],
  ['e Shift+e', 'next, previous error'],
  ['[ ]', 'previous, next agent'],
  ['Enter o', 'fold, unfold'],
  ['Shift+o', 'fold, unfold all'],
  ['/', 'search'],
  ['f', 'filters'],
  ['.', 'follow new steps: on, off'],
  ['g a · g s · g l', 'answer, steps, list'],
  ['l', 'copy the link to this step'],
  ['?', 'show the keys'],
];

/** The dialog. */
export function ShortcutTable({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class={s.keys}>
        {TABLE.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={(event) => setKeysOn(event.currentTarget.checked)}
        />{' '}
        Enable single-key shortcuts
      </label>
      <form method="dialog" class={parts.actions}>
        <button type="submit" class={parts.button}>
          Close
        </button>
      </form>
    </Dialog>
  );
}
