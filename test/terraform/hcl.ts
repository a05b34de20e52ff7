// Reads the structure of Terraform files: blocks, labels, and arguments with their expressions as text. It
// parses no expression. A parser of our own, because the packages that parse HCL are unmaintained or leave
// expressions as text, too.

/** An argument of a block. */
export interface Argument {
  /** The expression as written, without comments; several lines are kept. */
  text: string;
  line: number;
}

/** A block: `resource "google_pubsub_topic" "topic" { … }`. */
export interface Block {
  /** `resource`, `dynamic`, `template`. */
  type: string;
  labels: string[];
  arguments: Record<string, Argument>;
  blocks: Block[];
  /** Path of the file. */
  file: string;
  line: number;
}

/**
 * The blocks of a file, in their order.
 * @param text formatted by `terraform fmt`. Heredocs and block comments are not supported.
 * @param file for messages.
 * @throws Error with file and line when the text has another form.
 */
export function parseHcl(text: string, file: string): Block[] {
  const reader = new Reader(text, file);
  const { blocks, arguments: outside } = reader.readBody();
  if (Object.keys(outside).length > 0) reader.fail('an argument is outside of a block');
  return blocks;
}

/** Tokens that end on their line; a string has templates, which can have strings. */
const SPACE = /[ \t]*(?:#[^\n]*)?/y;
const LINES = /(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*/y;
const NAME = /[A-Za-z_][\w-]*/y;
const OPENING = '([{';
const CLOSING = ')]}';

class Reader {
  #at = 0;
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  /** Reads blocks and arguments up to the brace that closes the block, or the end of the file. */
  readBody(): Pick<Block, 'arguments' | 'blocks'> {
    const body: Pick<Block, 'arguments' | 'blocks'> = { arguments: {}, blocks: [] };
    for (;;) {
      this.#match(LINES);
      if (this.#at === this.#text.length || this.#text[this.#at] === '}') return body;
      const line = this.#line();
      const name = this.#match(NAME) || this.fail('expected a name');
      this.#match(SPACE);
      if (this.#text[this.#at] === '=') {
        this.#at++;
        this.#match(SPACE);
        if (name in body.arguments) this.fail(`${name} is set twice`);
        body.arguments[name] = { text: this.#readExpression(), line };
      } else body.blocks.push(this.#readBlock(name, line));
    }
  }

  #readBlock(type: string, line: number): Block {
    const labels: string[] = [];
    while (this.#text[this.#at] === '"') {
      labels.push(JSON.parse(this.#readString()) as string);
      this.#match(SPACE);
    }
    this.#expect('{');
    const body = this.readBody();
    this.#expect('}');
    return { type, labels, ...body, file: this.#file, line };
  }

  /** Reads to the end of the line, block or file, outside of brackets and strings. */
  #readExpression(): string {
    let text = '';
    let depth = 0;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined || (depth === 0 && (character === '\n' || character === '}'))) break;
      if (character === '#') this.#match(SPACE);
      else if (character === '"') text += this.#readString();
      else {
        if (OPENING.includes(character)) depth++;
        if (CLOSING.includes(character)) depth--;
        text += character;
        this.#at++;
      }
    }
    return text.trim() || this.fail('expected an expression');
  }

  #readString(): string {
    const start = this.#at;
    this.#expect('"');
    while (this.#text[this.#at] !== '"') {
      const two = this.#text.slice(this.#at, this.#at + 2);
      if (two === '' || two.startsWith('\n')) this.fail('a string does not end on its line');
      if (two === '${' || two === '%{') this.#readTemplate();
      else this.#at += two.startsWith('\\') ? 2 : 1;
    }
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #readTemplate(): void {
    this.#at += 2;
    for (let depth = 1; depth > 0; ) {
      const character = this.#text[this.#at];
      if (character === undefined) this.fail('a template does not end');
      if (character === '"') this.#readString();
      else {
        depth += character === '{' ? 1 : character === '}' ? -1 : 0;
        this.#at++;
      }
    }
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) this.fail(`expected ${character}`);
    this.#at++;
  }

  /** Consumes a match at this place. Returns it, empty when there is none. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  /** @throws Error always, with the place. */
  fail(why: string): never {
    throw new Error(`${this.#file}:${this.#line()}: ${why}`);
  }
}
