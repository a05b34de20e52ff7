// Which series a chart draws: each has a slot, which has its colour and dashes while it is drawn. Pure.

/** So many series are drawn at once. */
export const SLOTS = 8;

/** The first series in their order. */
export const firstSlots = (count: number): (number | undefined)[] =>
  Array.from({ length: SLOTS }, (_, index) => (index < count ? index : undefined));

/** Whether another series can be drawn. */
export const hasRoom = (slots: readonly (number | undefined)[]): boolean => slots.includes(undefined);

/** The same with a series added, or removed where it was drawn. Without room nothing changes. */
export function toggledSlots(slots: readonly (number | undefined)[], index: number): (number | undefined)[] {
  const isDrawn = slots.includes(index);
  const at = isDrawn ? slots.indexOf(index) : slots.indexOf(undefined);
  return slots.map((one, slot) => (slot !== at ? one : isDrawn ? undefined : index));
}
