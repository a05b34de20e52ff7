// `npm run draw-rooms`: draws the tables of layers as the picture of docs/architecture.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { projectFile } from '../../shared/projectFiles.ts';
import { engines, libraries, MAY_IMPORT, packages } from './tables.ts';

/** The page with the picture. */
export const ROOMS_PAGE = 'docs/architecture.md';
const BEGIN = '<!-- rooms: written by `npm run draw-rooms` -->\n';
const END = '<!-- end of rooms -->';

/** The boxes, from top to bottom, with the rooms in each. */
const BOXES: Record<string, readonly string[]> = {
  entries: ['cli', 'local', 'deploy', 'functions'],
  wiring: ['wiring'],
  cases: ['cases'],
  client: ['client'],
  engine: ['engine'],
  lists: ['lists'],
  features: ['features'],
  api: ['api'],
  kits: ['kits'],
  libraries,
  engines,
  'schemas and types that libraries share': ['schema', 'contract'],
  core: ['core'],
  text: ['text'],
  packages,
};

/**
 * The picture: an arrow for each pair of boxes whose rooms may import each other, if no longer way has it.
 */
export function drawRooms(): string {
  const names = Object.keys(BOXES);
  const reaches = (from: string, to: string): boolean =>
    (BOXES[from] ?? []).some((room) => MAY_IMPORT[room]?.some((other) => BOXES[to]?.includes(other)));
  const arrows = names.flatMap((from, index) =>
    names
      .filter((to) => to !== from && reaches(from, to))
      .filter(
        (to) => !names.some((way) => way !== from && way !== to && reaches(from, way) && reaches(way, to)),
      )
      .map((to) => `  r${index} --> r${names.indexOf(to)}`),
  );
  const boxes = names.map((name, index) => {
    const rooms = BOXES[name] ?? [];
    return `  r${index}["${rooms.length === 1 && rooms[0] === name ? name : `<b>${name}</b><br>${rooms.join(', ')}`}"]`;
  });
  return ['```mermaid', 'flowchart TD', ...boxes, ...arrows, '```', ''].join('\n');
}

/** The page with the picture of today. @throws Error when the page has no place for it. */
export function withRooms(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${ROOMS_PAGE} has no place for the rooms`);
  return `${before}${BEGIN}${drawRooms()}${END}${after}`;
}

if (import.meta.main) {
  new Command('draw-rooms')
    .description(`Draws the tables of layers as the picture of ${ROOMS_PAGE}.`)
    .parse();
  const path = projectFile(ROOMS_PAGE);
  writeFileSync(path, withRooms(readFileSync(path, 'utf8')));
}
