/** What people and agents write: paragraphs, lists, headings and code, and nothing that could be more than text. */
import type { JSX } from 'preact';
import { Text } from './text.tsx';

export function Prose({ text }: { readonly text: string }) {
  return <div class="prose">{blocksOf(text)}</div>;
}

function blocksOf(text: string): JSX.Element[] {
  const parts = text.split(/^\x60{3}[^\n]*\n?/m);
  return parts.flatMap((part, at) =>
    at % 2 === 1
      ? [
          <pre key={at}>
            <code>
              <Text of={part.replace(/\n$/, '')} />
            </code>
          </pre>,
        ]
      : part
          .split(/\n{2,}/)
          .filter((block) => block.trim() !== '')
          .map((block, index) => paragraph(block.replace(/^\n+|\n+$/g, ''), `${at}-${index}`)),
  );
}

function paragraph(block: string, key: string): JSX.Element {
  const heading = /^#{1,6} +([^\n]*)$/.exec(block);
  if (heading) return <h3 key={key}>{inline(heading[1]!)}</h3>;
  const lines = block.split('\n');
  if (lines.every((line) => /^\s*[-*] /.test(line)))
    return (
      <ul key={key}>
        {lines.map((line, at) => (
          <li key={at}>{inline(line.replace(/^\s*[-*] /, ''))}</li>
        ))}
      </ul>
    );
  return <p key={key}>{inline(block)}</p>;
}

function inline(text: string): (JSX.Element | string)[] {
  return text.split(/(\x60[^\x60\n]+\x60|\*\*[^*\n]+\*\*)/).map((part, at) => {
    if (/^\x60.+\x60$/.test(part))
      return (
        <code key={at}>
          <Text of={part.slice(1, -1)} />
        </code>
      );
    if (/^\*\*.+\*\*$/.test(part))
      return (
        <strong key={at}>
          <Text of={part.slice(2, -2)} />
        </strong>
      );
    return <Text key={at} of={part} />;
  });
}
