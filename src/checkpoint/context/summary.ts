/** The summary that needs no model: facts are kept, prose is dropped. */

import { addDecision, addMessage, addTool, type Facts, noFacts } from '../facts/collect.ts';
import type { Decision, Message, ToolOutput } from '../record/record.ts';

export interface SummaryInput {
  readonly messages: readonly Message[];
  readonly tool_outputs: readonly ToolOutput[];
  readonly decisions: readonly Decision[];
}

/** Makes one text of what is trimmed. A long history comes in several parts, oldest first; the texts are joined. */
export type Summariser = (input: SummaryInput) => string | Promise<string>;

/** Loses no decision, file path, command or error. */
export function summarise({ messages, tool_outputs, decisions }: SummaryInput): string {
  const facts = noFacts();
  for (const decision of decisions) addDecision(facts, decision);
  for (const output of tool_outputs) addTool(facts, output);
  for (const message of messages) addMessage(facts, message);
  return renderFacts(facts);
}

export function renderFacts(facts: Facts): string {
  const { messages, tool_outputs, tools } = facts;
  const counted = [...tools].map(([tool, times]) => `${tool} (${times})`);
  const sections = [
    `Summary of ${quantity(messages, 'earlier message')} and ${quantity(tool_outputs, 'earlier tool output')}. ` +
      'What is left out here is still in the journal.',
    ...facts.summaries,
    facts.request === null ? '' : `Asked for at first:\n${facts.request}`,
    section('Decisions', facts.decisions),
    section('Files', facts.paths),
    section('Commands', facts.commands),
    section('Errors', facts.errors),
    section('Links', facts.links),
    counted.length === 0 ? '' : `Tools used: ${counted.join(', ')}`,
  ];
  return sections.filter((part) => part !== '').join('\n\n');
}

function section(title: string, facts: ReadonlySet<string>): string {
  return facts.size === 0 ? '' : `${title}:\n${[...facts].map((fact) => `- ${fact}`).join('\n')}`;
}

function quantity(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
