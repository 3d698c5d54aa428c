/** Finding the lines and sentences that matter in a text, without cutting the rest of it up. */

/** Longer ones are cut down to what stands around the match. */
const LONGEST_LINE = 1_000;
const BEFORE = 200;
const AFTER = 600;

/** Calls `found` with each line in which the pattern (global) matches, trimmed. */
export function eachLine(text: string, pattern: RegExp, found: (line: string) => void): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const at = match.index + leadingBreaks(match[0]);
    const start = text.lastIndexOf('\n', at - 1) + 1;
    const next = text.indexOf('\n', at);
    let end = next < 0 ? text.length : next;
    if (end - start > LONGEST_LINE) {
      end = Math.min(end, at + AFTER);
      found(text.slice(Math.max(start, at - BEFORE), end).trim());
    } else found(text.slice(start, end).trim());
    pattern.lastIndex = Math.max(end, match.index + 1);
  }
}

/** Calls `found` with each sentence in which the pattern (global) matches. */
export function eachSentence(text: string, pattern: RegExp, found: (sentence: string) => void): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = sentenceStart(text, match.index);
    const end = sentenceEnd(text, match.index + match[0].length);
    found(text.slice(start, end).trim());
    pattern.lastIndex = Math.max(end, match.index + 1);
  }
}

function leadingBreaks(match: string): number {
  return match.length - match.trimStart().length;
}

function sentenceStart(text: string, at: number): number {
  for (let index = at - 1; index > at - LONGEST_LINE && index >= 0; index -= 1) {
    if (endsSentence(text, index)) return index + 1;
  }
  return Math.max(0, at - LONGEST_LINE + 1);
}

function sentenceEnd(text: string, at: number): number {
  for (let index = at; index < at + LONGEST_LINE && index < text.length; index += 1) {
    if (endsSentence(text, index)) return index + 1;
  }
  return Math.min(text.length, at + LONGEST_LINE);
}

function endsSentence(text: string, index: number): boolean {
  const character = text[index]!;
  if (character === '\n' || '。！？'.includes(character)) return true;
  return '.!?'.includes(character) && (index + 1 >= text.length || /\s/.test(text[index + 1]!));
}
