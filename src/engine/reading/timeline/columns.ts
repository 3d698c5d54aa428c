/** Many rows in little memory: numbers in typed arrays, texts as bytes one after another. Pure. */

const KINDS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** What the members of a row are stored as. */
type Layout = Readonly<Record<string, keyof typeof KINDS>>;

type Values<L extends Layout> = { readonly [Name in keyof L]: number };

export interface Columns<L extends Layout> {
  readonly length: number;
  /** Returns the number of the row. */
  add(values: Values<L>): number;
  get(name: keyof L, row: number): number;
  set(name: keyof L, row: number, value: number): void;
  /** Of the arrays, with what is reserved. */
  bytes(): number;
}

const FIRST = 64;

export function columns<const L extends Layout>(layout: L): Columns<L> {
  const names = Object.keys(layout) as (keyof L & string)[];
  const made = (name: keyof L & string, size: number) => new KINDS[layout[name]!](size);
  const arrays = Object.fromEntries(names.map((name) => [name, made(name, FIRST)])) as {
    [Name in keyof L]: ReturnType<typeof made>;
  };
  let length = 0;
  let room = FIRST;

  const grow = (): void => {
    room = Math.ceil(room * (room < 10_000 ? 2 : 1.25));
    for (const name of names) {
      const larger = made(name, room);
      larger.set(arrays[name]);
      arrays[name] = larger;
    }
  };

  return {
    get length() {
      return length;
    },
    add(values) {
      if (length === room) grow();
      for (const name of names) arrays[name][length] = values[name];
      return length++;
    },
    get: (name, row) => arrays[name][row]!,
    set: (name, row, value) => {
      arrays[name][row] = value;
    },
    bytes: () => names.reduce((sum, name) => sum + arrays[name].byteLength, 0),
  };
}

/** Lists of texts, kept as bytes: outside the heap, and read only when they are shown. */
export interface Texts {
  /** Returns where it is. */
  add(parts: readonly string[]): number;
  at(place: number): string[];
  bytes(): number;
}

const CHUNK = 1 << 18;
/** Stands between two parts. */
const END = '\u0000';

export function texts(): Texts {
  const chunks: Buffer[] = [];
  let used = CHUNK;
  return {
    add(parts) {
      const text = parts.map(within).join(END);
      const size = Buffer.byteLength(text);
      if (used + size + HEADER > CHUNK) {
        chunks.push(Buffer.allocUnsafeSlow(CHUNK));
        used = 0;
      }
      const chunk = chunks.at(-1)!;
      const place = (chunks.length - 1) * CHUNK + used;
      chunk.writeUInt32LE(size, used);
      chunk.write(text, used + HEADER);
      used += size + HEADER;
      return place;
    },
    at(place) {
      const chunk = chunks[Math.floor(place / CHUNK)]!;
      const from = (place % CHUNK) + HEADER;
      return chunk.toString('utf8', from, from + chunk.readUInt32LE(place % CHUNK)).split(END);
    },
    bytes: () => chunks.length * CHUNK,
  };
}

const HEADER = 4;
/** Names can be of any length; as many of these as a row has fit into a chunk. */
const LONGEST = 8192;

function within(text: string): string {
  const short = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  return short.includes(END) ? short.replaceAll(END, ' ') : short;
}
