// Something loads: still bars, and a sentence when it takes long.

import s from './reading.module.css';

/** Still bars, after 300 ms, and a sentence after two seconds. */
export function Bars() {
  return (
    <div class={s.bars} role="status" aria-label="Loading">
      <i />
      <i />
      <i />
      <Slow />
    </div>
  );
}

/** Says after two seconds that loading takes longer than usual. */
export function Slow() {
  return <p class={s.slow}>This takes longer than usual …</p>;
}
