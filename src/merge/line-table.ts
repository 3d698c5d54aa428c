/**
 * Numbers lines by their bytes: the same bytes, the same number. A map of strings would do it too, in twice the time and
 * with a great deal of garbage on large files.
 */
export function lineTable(): (bytes: Uint8Array, from: number, to: number, hash: number) => number {
  const files: Uint8Array[] = [];
  let count = 0;
  // By number: the line's hash, and where it was first seen.
  let hashes = new Int32Array(256);
  let owners = new Int32Array(256);
  let starts = new Int32Array(256);
  let sizes = new Int32Array(256);
  /** Open addressing, at most half full; -1 is free. */
  let slots = new Int32Array(512).fill(-1);

  return (bytes, from, to, hash) => {
    let slot = firstSlot(hash);
    for (let id = slots[slot]!; id !== -1; id = slots[slot]!) {
      if (hashes[id] === hash && isLine(id, bytes, from, to)) return id;
      slot = nextSlot(slot);
    }
    if (files.at(-1) !== bytes) files.push(bytes);
    hashes[count] = hash;
    owners[count] = files.length - 1;
    starts[count] = from;
    sizes[count] = to - from;
    slots[slot] = count++;
    if (count === hashes.length) grow();
    return count - 1;
  };

  function isLine(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (sizes[id] !== to - from) return false;
    const known = files[owners[id]!]!;
    const shift = starts[id]! - from;
    for (let at = from; at < to; at++) if (bytes[at] !== known[at + shift]) return false;
    return true;
  }

  function grow(): void {
    hashes = enlarged(hashes);
    owners = enlarged(owners);
    starts = enlarged(starts);
    sizes = enlarged(sizes);
    slots = new Int32Array(slots.length * 4).fill(-1);
    for (let id = 0; id < count; id++) {
      let slot = firstSlot(hashes[id]!);
      while (slots[slot] !== -1) slot = nextSlot(slot);
      slots[slot] = id;
    }
  }

  function firstSlot(hash: number): number {
    return (hash ^ (hash >>> 15)) & (slots.length - 1);
  }

  function nextSlot(slot: number): number {
    return (slot + 1) & (slots.length - 1);
  }
}

function enlarged(field: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(field.length * 4);
  larger.set(field);
  return larger;
}
