// A picture of the page as a PNG with a palette, a third of the size of the one that the browser makes.

import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Most colours of a palette. */
const COLORS = 256;

/** The picture with its 256 most frequent colours, others the nearest. @param page decodes it. */
export async function smallPng(png: Buffer, page: Page): Promise<Buffer> {
  const { width, height, pixels } = await decode(png, page);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 4) {
    const color = pixels.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a).map(([color]) => color);
  const palette = byCount.slice(0, COLORS);
  const indexes = new Map(byCount.map((color) => [color, nearest(palette, color)]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < width * height; at++)
    rows[at + 1 + Math.floor(at / width)] = indexes.get(pixels.readUIntBE(4 * at, 3)) ?? 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // 8 bits for each pixel, which is an index of the palette.
  head.set([8, 3], 8);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The index of the color that is next to one. */
function nearest(palette: readonly number[], color: number): number {
  const distance = (other: number) =>
    [16, 8, 0].reduce((sum, bits) => sum + (((color >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, other] of palette.entries()) {
    const far = distance(other);
    if (far < least) [best, least] = [index, far];
    if (far === 0) break;
  }
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([size, typed, sum]);
}

async function decode(png: Buffer, page: Page) {
  const read = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const parts = Array.from({ length: Math.ceil(data.length / 32_768) }, (_, part) =>
      String.fromCharCode(...data.subarray(part * 32_768, (part + 1) * 32_768)),
    );
    return { width, height, pixels: btoa(parts.join('')) };
  }, png.toString('base64'));
  return { ...read, pixels: Buffer.from(read.pixels, 'base64') };
}
