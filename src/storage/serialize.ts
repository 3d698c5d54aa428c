export function encode(value: unknown): string {
  return JSON.stringify(value);
}
export function decode(text: string): unknown {
  return JSON.parse(text);
}
