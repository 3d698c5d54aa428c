/** Decisions in text: what was chosen, and, where a person says it, what must or must not be. */
import { eachLine, eachSentence } from './lines.ts';

/**
 * Who the text is by: a tool's output is mostly documents and programs, which are full of sentences that only look like
 * decisions.
 */
export type Author = 'person' | 'agent' | 'tool';

export function findDecisions(text: string, by: Author, found: (sentence: string) => void): void {
  eachLine(text, MARKED, found);
  eachSentence(text, by === 'tool' ? TAKEN : CHOSEN, found);
  if (by === 'person') eachSentence(text, DEMANDED, found);
}

/** A line that is marked as a decision. */
const MARKED =
  /\b(?:decision|decided|conclusion|verdict|resolution)\b[^\n:：]{0,40}[:：]|决定[：:]|決定[：:]|结论[：:]|結論[：:]/gi;

const CHOSEN =
  /\b(?:decid(?:e|ed|es|ing)|decision|chose|chosen|choose|choosing|opt(?:ed|ing|s)? for|settle[ds]? (?:on|for)|agreed|(?:go|going|went|goes) with|(?:will|'ll|’ll|shall|let's|let’s) (?:use|keep|drop|switch|avoid|go)|instead of|rather than|prefer(?:red|s)?|switch(?:ed|ing)? to|approved|rejected|ruled out|stick(?:ing)? (?:to|with))\b|决定|選擇|选择|采用|採用|改用|選定|选定/gi;

const TAKEN = /\b(?:decided|chose|opted for|settled on|agreed)\b|决定|決定|选定|選定/gi;

const DEMANDED =
  /\b(?:must|never|always|do not|don['’]t|only use|make sure|required?)\b|必须|必須|不要|禁止|务必|務必/gi;
