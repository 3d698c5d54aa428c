/** Commands in text: in fences, behind a prompt, between backticks, or named in a sentence. */

export function findCommands(text: string, found: (command: string) => void): void {
  if (text.includes('```')) fenced(text, found);
  for (const match of text.matchAll(PROMPT)) found(match[1]!.trim());
  if (text.includes('`')) {
    for (const match of text.matchAll(BACKTICKS)) if (beginsCommand(match[1]!)) found(match[1]!.trim());
  }
  for (const match of text.matchAll(IN_PROSE)) found(match[0].trim());
}

const FENCE = '```';
const CLOSING = /\n[ \t]*```/g;
const SHELLS: ReadonlySet<string> = new Set(
  'sh bash zsh fish shell console terminal powershell ps1 pwsh cmd bat'.split(' '),
);

/** Of a fence that is marked as a shell's: every line, and the whole where lines belong together. */
function fenced(text: string, found: (command: string) => void): void {
  for (let open = text.indexOf(FENCE); open >= 0; ) {
    const begin = text.indexOf('\n', open);
    if (begin < 0) return;
    CLOSING.lastIndex = begin;
    const close = CLOSING.exec(text);
    const end = close ? close.index : text.length;
    const language = /^\w*/.exec(text.slice(open + FENCE.length, begin))![0].toLowerCase();
    if (SHELLS.has(language)) {
      const body = text.slice(begin + 1, end);
      if (/\\\n|<</.test(body)) found(body.trim());
      for (const line of body.split('\n')) found(line.trim().replace(/^(?:\$|%|>|❯) /, ''));
    }
    open = text.indexOf(FENCE, CLOSING.lastIndex || end);
  }
}

const PROMPT = /(?:^|\n)[ \t]*(?:\S{1,40}[@:]\S{0,80})?(?:\$|❯|PS [^\n>]{1,80}>) +([^\n]+)/g;
const BACKTICKS = /`([^`\n]{2,500})`/g;

const TOOLS =
  'npm|npx|pnpm|yarn|bun|bunx|deno|node|tsx|tsc|git|gh|glab|hg|svn|docker|docker-compose|podman|kubectl|helm|terraform|' +
  'tofu|ansible|ansible-playbook|vagrant|aws|gcloud|az|python|python3|pip|pip3|pipx|uv|uvx|poetry|conda|pytest|tox|ruff|' +
  'mypy|black|cargo|rustc|rustup|go|gofmt|java|javac|mvn|gradle|dotnet|ruby|bundle|rake|rails|gem|php|composer|artisan|' +
  'perl|lua|swift|xcodebuild|flutter|dart|mix|elixir|stack|cabal|cmake|ninja|bazel|gcc|g\\+\\+|clang|make|just|eslint|' +
  'prettier|biome|vitest|jest|mocha|playwright|cypress|vite|webpack|rollup|esbuild|turbo|nx|lerna|psql|mysql|sqlite3|' +
  'redis-cli|mongosh|pg_dump|pg_restore|curl|wget|ssh|scp|rsync|systemctl|service|journalctl|apt|apt-get|yum|dnf|apk|' +
  'brew|choco|winget|snap|sudo|chmod|chown|grep|rg|sed|awk|find|xargs|tar|unzip|zip|gunzip|ls|cd|cat|cp|mv|rm|mkdir|' +
  'rmdir|touch|ln|head|tail|less|wc|sort|uniq|diff|patch|echo|export|source|env|which|ps|kill|pkill|lsof|netstat|df|du|' +
  'mount|openssl|base64|jq|yq|sh|bash|zsh|test|time|watch|nohup|tmux|strace|gdb|vibe-engine|ve';

const COMMAND = new RegExp(`^\\s*(?:\\w+=\\S* +)*(?:(?:${TOOLS})(?: |$)|(?:\\.{1,2}|~)?/[\\w./-]+(?: |$))`);

function beginsCommand(text: string): boolean {
  return COMMAND.test(text);
}

/** Names that are no English words; what follows is taken to the end of the sentence. */
const IN_PROSE = new RegExp(
  '(?<![\\w./`-])(?:npm|npx|pnpm|yarn|bunx|deno|tsc|git|gh|docker|docker-compose|podman|kubectl|helm|terraform|' +
    'python3?|pip3?|pipx|uvx|poetry|conda|pytest|cargo|rustup|mvn|gradle|dotnet|composer|xcodebuild|cmake|bazel|gcc|' +
    'eslint|vitest|jest|playwright|webpack|psql|sqlite3|redis-cli|curl|wget|scp|rsync|systemctl|journalctl|apt-get|brew|' +
    'sudo|chmod|chown|mkdir|rm -\\w+|go (?:build|run|test|mod|get|vet)|node [\\w./-]+\\.[cm]?[jt]s|make (?:all|build|check|clean|deploy|install|lint|run|test))' +
    '[ \\t]+(?:(?!`|[.!?](?:\\s+[A-Z]|\\s*(?:\\n|$)))[^\\n]){1,400}',
  'g',
);
