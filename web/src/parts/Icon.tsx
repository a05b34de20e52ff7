// Line icons of 16 pixels. Beside each stands a word, or it has a name.

const PATHS = {
  logo: 'M12.2 7a5.2 5.2 0 1 1-10.4 0 5.2 5.2 0 0 1 10.4 0ZM10.9 10.9l3.3 3.3M4.3 7.2h1.4l1-2 1.2 3.6.9-1.6h1',
  done: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM5.4 8.2l1.8 1.8 3.4-3.8',
  failed: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5L5.5 2ZM6 6l4 4M10 6l-4 4',
  clock: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM8 4.6V8l2.3 1.6',
  cancelled: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM3.9 12.1l8.2-8.2',
  cancelling: 'M5 2h6l3 3v6l-3 3H5l-3-3V5l3-3ZM5 8h6',
  ring: 'M8 2a6 6 0 1 0 6 6M8 8h.01',
  hand: 'M4.5 8.6V4.3a1 1 0 0 1 2 0V7.4M6.5 7.2V2.8a1 1 0 0 1 2 0v4.4M8.5 7.2V3.6a1 1 0 0 1 2 0v3.9M10.5 7.5V5.3a1 1 0 0 1 2 0v4.4a4.5 4.5 0 0 1-4.5 4.5c-2 0-3-1-3.8-2.3L2.6 9.4a1 1 0 0 1 1.7-1l.7.9',
  hourglass: 'M4 2h8M4 14h8M4.8 2v2.5L8 8l3.2-3.5V2M4.8 14v-2.5L8 8l3.2 3.5V14',
  child: 'M4 2.5v5.5a2 2 0 0 0 2 2h6M9.5 7.5 12 10l-2.5 2.5',
  dashed:
    'M8 2a6 6 0 0 1 2.3.5M12.2 3.8A6 6 0 0 1 13.5 5.7M14 8a6 6 0 0 1-.5 2.3M12.2 12.2a6 6 0 0 1-1.9 1.3M8 14a6 6 0 0 1-2.3-.5M3.8 12.2a6 6 0 0 1-1.3-1.9M2 8a6 6 0 0 1 .5-2.3M3.8 3.8A6 6 0 0 1 5.7 2.5',
  deferred: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM8 5.3v5.4M5.3 8h5.4',
  question: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM6.3 6.3a1.7 1.7 0 1 1 2.4 1.6c-.5.2-.7.5-.7 1v.2M8 11.2h.01',
  pen: 'M9.7 3.3l3 3M2.5 13.5l.8-3.2 7.5-7.5a1.4 1.4 0 0 1 2 0l.4.4a1.4 1.4 0 0 1 0 2l-7.5 7.5-3.2.8Z',
  thought: 'M5 10.5a3 3 0 0 1-.4-6 3.6 3.6 0 0 1 6.7.4 2.8 2.8 0 0 1-.3 5.6H5ZM5 13.5h.01',
  tool: 'M9.8 6.2a3.3 3.3 0 0 1-1-3.3A3.3 3.3 0 0 1 12 2l-2 2 .4 1.6 1.6.4 2-2a3.3 3.3 0 0 1-4.2 4L5 12.8A1.3 1.3 0 0 1 3.2 11l4.8-4.8',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  globe:
    'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM2 8h12M8 2c1.7 1.7 2.5 3.7 2.5 6S9.7 12.3 8 14c-1.7-1.7-2.5-3.7-2.5-6S6.3 3.7 8 2Z',
  speech:
    'M3 3h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H7.5L4.5 13.5V11H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM5 6.2h6M5 8.4h4',
  flag: 'M3.5 14V2.5h8.5L10 5.5l2 3H3.5',
  warning: 'M8 2.5 14.2 13.5H1.8L8 2.5ZM8 6.8v3M8 11.7h.01',
  place:
    'M8 14s4.5-4.3 4.5-7.5a4.5 4.5 0 0 0-9 0C3.5 9.7 8 14 8 14ZM8 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  steps: 'M2.5 4h5M5.5 8h5M8.5 12h5',
  info: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM8 7.5v3.5M8 5.2h.01',
  copy: 'M6 5.5h6.5a1 1 0 0 1 1 1V13a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V6.5a1 1 0 0 1 1-1ZM11 5.5V3a1 1 0 0 0-1-1H3.5a1 1 0 0 0-1 1v6.5a1 1 0 0 0 1 1H5',
  link: 'M6.6 9.4a2.7 2.7 0 0 0 3.9 0l2.4-2.4a2.75 2.75 0 0 0-3.9-3.9l-.9.9M9.4 6.6a2.7 2.7 0 0 0-3.9 0L3.1 9a2.75 2.75 0 0 0 3.9 3.9l.9-.9',
  again: 'M13.5 8A5.5 5.5 0 1 1 11.8 4L13.5 5.7M13.5 2.5v3.2h-3.2',
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0ZM10.3 10.3l3.5 3.5',
  moon: 'M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7Z',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  lock: 'M4 7.5h8a.8.8 0 0 1 .8.8v4.9a.8.8 0 0 1-.8.8H4a.8.8 0 0 1-.8-.8V8.3a.8.8 0 0 1 .8-.8ZM5.2 7.5V5a2.8 2.8 0 0 1 5.6 0v2.5',
  book: 'M3 3.5A1.5 1.5 0 0 1 4.5 2H13v10H4.5A1.5 1.5 0 0 0 3 13.5V3.5ZM3 13.5A1.5 1.5 0 0 0 4.5 15H13v-3',
  heart: 'M8 13.5 3 8.6A3.1 3.1 0 0 1 8 5a3.1 3.1 0 0 1 5 3.6L8 13.5Z',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5M2.5 11.5h11M6.8 14h2.4',
  plus: 'M8 3.5v9M3.5 8h9',
  print:
    'M4.5 6V2h7v4M4.5 11.5H3a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v3.5a1 1 0 0 1-1 1h-1.5M4.5 9.5h7V14h-7V9.5Z',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** An icon; it is hidden from readers of the screen without a label. */
export function Icon({ name, label, class: className }: { name: IconName; label?: string; class?: string }) {
  return (
    <svg
      class={className}
      data-icon={name}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
